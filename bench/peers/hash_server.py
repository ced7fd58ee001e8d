"""A hash server as one would write it with Flask and Redis: a JSON document per SHA-256."""

import os

from flask import Flask, Response, abort, request
from redis import Redis

app = Flask(__name__)
store = Redis(port=int(os.environ["REDIS_PORT"]))
token = os.environ["TOKEN"]


@app.before_request
def check_token():
    if request.headers.get("Authorization") != token:
        abort(401)


@app.get("/hash/<sha256>")
def look_up(sha256):
    found = store.get(sha256)
    if found is None:
        abort(404)
    return Response(found, mimetype="application/json")


@app.post("/hash/<sha256>")
def add(sha256):
    document = request.get_json()
    if not isinstance(document, dict):
        abort(400)
    store.set(sha256, request.get_data())
    return {"successful": True}, 201
