/** Follows a feed with eventsource and prints the ids of the first reports as JSON. */
import { EventSource } from 'eventsource';

const [feed, count] = process.argv.slice(2);
const { RAPSHEET_URL: url, RAPSHEET_TOKEN: token } = process.env;
const source = new EventSource(`${url}/feed/${feed}/stream?since=0`, {
  fetch: (input, init) =>
    fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
});
const ids = [];
source.addEventListener('created', ({ data }) => {
  ids.push(JSON.parse(data).id);
  if (ids.length < Number(count)) return;
  source.close();
  console.log(JSON.stringify(ids));
});
