interface InputRule {
  readonly name: string;
  /** What the input must be, if the rule of the API says it in terms of JSON. */
  readonly rule: string;
}

/**
 * What the members of a body are called on the command line, by their path:
 * `{ confidenceScale: '--scale', 'mail.to': '--mail-to' }`.
 */
export type InputNames = Readonly<Record<string, string | InputRule>>;

interface InputProblem {
  readonly path: readonly string[];
  /** A sentence that begins with the name of the member. */
  readonly problem: string;
}

/** Says what is wrong with an option or an argument instead of a member of a body. */
export function nameInput({ path, problem }: InputProblem, names: InputNames): string {
  if (path.length === 0) return nameEach(problem, names);
  const known = path
    .map((_, index) => path.slice(0, path.length - index).join('.'))
    .find((prefix) => Object.hasOwn(names, prefix));
  const input = known === undefined ? undefined : names[known];
  if (input === undefined) return problem;
  if (typeof input === 'string') return problem.replace(/^\S+/, () => input);
  return `${input.name} must be ${input.rule}.`;
}

/** The same for the error of an operation, which has no path. */
export function nameProblem(problem: string, names: InputNames): string {
  return problem.replace(/^\S+/, (member) => nameOf(names, member));
}

/** A problem of several members names all of them. */
function nameEach(problem: string, names: InputNames): string {
  return problem.replace(/\w+/g, (word) => nameOf(names, word));
}

function nameOf(names: InputNames, member: string): string {
  const input = Object.hasOwn(names, member) ? names[member] : undefined;
  return typeof input === 'object' ? input.name : (input ?? member);
}
