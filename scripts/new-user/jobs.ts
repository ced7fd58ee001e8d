import type { Person } from './person.ts';

export interface FreshStart {
  /** The link that the first start prints. */
  readonly link: string;
  readonly file: { readonly name: string; readonly bytes: Uint8Array; readonly sha256: string };
  /** A pattern for the hosts that the settings of the file name. */
  readonly hosts: string;
}

export interface Invitations {
  readonly researcher: string;
  readonly desk: string;
  readonly analyst: string;
}

/** Makes a service, invites three people, and looks whether the service is well. */
export async function operate(operator: Person, fresh: FreshStart): Promise<Invitations> {
  await operator.openLink(fresh.link);
  await operator.click('button', /^Sign in$/);
  await operator.click('button', /^Make a service$/);
  await operator.type(/^Name/, 'Ply');
  await operator.type(/^Hosts/, fresh.hosts);
  await operator.click('button', /^Make the service$/);
  await operator.click('button', /^Invite a researcher$/);
  await operator.type(/^Name of the account/, 'alice');
  await operator.click('button', /^Make the invitation$/);
  const researcher = await invitationOf(operator);
  await operator.click('button', /^Done$/);
  await operator.click('button', /menu|account/i);
  await operator.click('menuitem', /^Administration$/);
  await operator.click('link', /^Accounts$/);
  const desk = await invite(operator, 'desk', async () => operator.click('checkbox', /^ply$/));
  const analyst = await invite(operator, 'soc', async () => {});
  await operator.click('link', /health|workers/i);
  await operator.sees(/bubblewrap|permission model|isolation/i);
  await operator.click('link', /^Queue/);
  operator.done();
  return { researcher, desk, analyst };
}

async function invite(operator: Person, name: string, choose: () => Promise<void>) {
  await operator.click('button', /^New account$/);
  await operator.type(/^Name/, name);
  await choose();
  await operator.click('button', /^Create and invite$/);
  const link = await invitationOf(operator);
  await operator.click('button', /^(?:Done|Close)$/);
  return link;
}

async function invitationOf(operator: Person): Promise<string> {
  return await operator.copies('[role="dialog"] code:has-text("/welcome#"), dialog code');
}

/** Sends a file, sees whose infrastructure it uses, and reports it. */
export async function research(researcher: Person, link: string, fresh: FreshStart): Promise<void> {
  await researcher.openLink(link);
  await researcher.click('button', /^Sign in$/);
  await researcher.click('link', /^Upload$/);
  await researcher.chooseFile(/^Choose files$/, fresh.file);
  await researcher.click('link', /^Open/);
  await researcher.click('link', /^Report \S+$/);
  await researcher.click('button', /^Report to/);
  await researcher.reaches(/\/reports\//);
  researcher.done();
}

/** Reads the evidence of what is new, and answers it. */
export async function answer(desk: Person, link: string): Promise<void> {
  await desk.openLink(link);
  await desk.click('button', /^Sign in$/);
  await desk.click('link', /^Desk/);
  await desk.sees(/names this|settings of the file|confirm/i);
  await desk.click('button', /^Taken down/);
  desk.done();
}

/** Has a hash, and wants to know what it is and what belongs to it. */
export async function analyse(analyst: Person, link: string, fresh: FreshStart): Promise<void> {
  await analyst.openLink(link);
  await analyst.click('button', /^Sign in$/);
  await analyst.sees(/report/i);
  await analyst.press('/');
  await analyst.paste(fresh.file.sha256);
  await analyst.press('Enter');
  await analyst.sees('ASYNCRAT');
  await analyst.click('link', /example\[\.\]invalid/);
  await analyst.reaches(/\/c2\//);
  await analyst.sees(/actioned|open/);
  analyst.done();
}
