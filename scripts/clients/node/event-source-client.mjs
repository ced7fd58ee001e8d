/** Follows a feed with eventsource-client and prints the ids of the first reports as JSON. */
import { createEventSource } from 'eventsource-client';

const [feed, count] = process.argv.slice(2);
const { RAPSHEET_URL: url, RAPSHEET_TOKEN: token } = process.env;
const source = createEventSource({
  url: `${url}/feed/${feed}/stream?since=0`,
  headers: { authorization: `Bearer ${token}` },
});
const ids = [];
for await (const { data } of source) {
  ids.push(JSON.parse(data).id);
  if (ids.length === Number(count)) break;
}
source.close();
console.log(JSON.stringify(ids));
