import type { FastifyReply } from 'fastify';

/** Sends what was stored ready to be sent: JSON that needs no serializer. */
export function sendReady(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json);
}
