import { readUploads } from '../src/cli/demo/uploads.ts';
import { launchChromium } from './browser/chromium.ts';
import { Site } from './browser/site.ts';
import { analyse, answer, type FreshStart, operate, research } from './new-user/jobs.ts';
import { type Effort, Person } from './new-user/person.ts';

/**
 * Does the job of each of the four people who use the web application, from a fresh start, and
 * counts what they click and type: `npm run trial -- new-user`. Fails if one of them gets stuck.
 */
const site = new Site();
const browser = await launchChromium();
const people: Person[] = [];

async function person(who: string, job: string): Promise<Person> {
  const one = await Person.open(browser, who, job);
  people.push(one);
  return one;
}

async function freshStart(): Promise<FreshStart> {
  const [file] = readUploads(new URL('../demo/', import.meta.url)).filter(
    ({ name }) => name === 'Invoice_88213.exe',
  );
  if (file === undefined) throw new Error('the demo has no such file');
  // On a terminal the first start prints it.
  const link = (await site.command('account', 'link', 'admin')).trim();
  return { link, file, hosts: '*.example.invalid' };
}

async function everybody(): Promise<void> {
  const fresh = await freshStart();
  const operator = await person('operator', 'make a service, invite three, check the server');
  const links = await operate(operator, fresh);
  const researcher = await person('researcher', 'send a file, report its C2');
  await research(researcher, links.researcher, fresh);
  const desk = await person('abuse desk', 'judge the report, answer it');
  await answer(desk, links.desk);
  const analyst = await person('analyst', 'from a hash to what belongs to it');
  await analyse(analyst, links.analyst, fresh);
  // An answer is sent when it can no longer be undone; the reporter then sees it by itself.
  await researcher.sees(/actioned/);
}

function lineOf({ who, job, clicks, typed, pasted, seconds }: Effort): string {
  const numbers = [clicks, typed, pasted, seconds.toFixed(1)].map((each) =>
    String(each).padStart(7),
  );
  return `${who.padEnd(11)}${numbers.join('')}  ${job}`;
}

try {
  await site.start();
  await everybody();
} catch (cause) {
  const last = people.at(-1);
  if (last !== undefined) console.error(await last.describe());
  throw cause;
} finally {
  console.log('who         clicks  typed pasted    s   job');
  for (const { effort } of people) console.log(lineOf(effort));
  for (const { effort, errors } of people)
    for (const error of errors.take())
      console.log(`error in the console of ${effort.who}: ${error}`);
  await browser.close();
  await site.close();
}
