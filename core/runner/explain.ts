import type { ExplainRule } from '@tapline/plugin-sdk';
import type { ExecStatus, SpoolEvent } from './executor.ts';

export interface Failure {
  status: Exclude<ExecStatus, { state: 'running' }>;
  /** the failing results among the last events; the order of the run */
  events: readonly Pick<SpoolEvent, 'event' | 'event_data'>[];
  /** the end of the output, colours and all */
  text: string;
  /** the run got as far as its statistics, whose text may lie before the end that is given here */
  recap?: boolean;
  /** sentences that the kind of run has besides */
  rules?: readonly ExplainRule[];
}

/**
 * A sentence or two for a person: what went wrong, where, and what to do. '' where nothing more can be said
 * than that tasks failed. Pure.
 */
export function explainFailure({ status, events, text, recap = false, rules = [] }: Failure): string {
  if (status.state === 'lost') return status.detail;
  const { reason, detail, signal, rc } = status.exit;
  if (reason === 'canceled') return 'The job was canceled.';
  if (reason === 'timeout')
    return "The job ran longer than its timeout and was ended. Raise the template's timeout if it needs more.";
  if (reason === 'disk_full')
    return `The disk is full: ${detail || 'no space left on the device that holds the job folder'}. Make room and launch again.`;
  if (reason === 'start_failed') return `The engine could not be started: ${detail}.`;
  if (reason === 'killed' || rc === null)
    return `The engine was killed${signal ? ` by ${signal}` : ''}; often that is the system running out of memory.`;
  if (rc === 0) return '';
  const plain = withoutColours(text);
  return (
    explainResults(events) ||
    first([...rules, ...outputRules], plain) ||
    (signal ? `The engine was ended by ${signal}.` : recap ? '' : wordsOfTheEngine(plain)) ||
    (recap || events.length || recapped(plain) ? '' : lastWords(rc, plain))
  );
}

/** A success that did nothing: the engine says so in its output, and ends well. */
export const explainIdle = ({
  start_at_task: start,
  play_count: plays,
  task_count: tasks,
}: Readonly<Record<string, unknown>>): string =>
  start && plays && !tasks
    ? `Nothing was run: no task matches start_at_task "${start}". It finds tasks of the playbook, of its roles and of static includes (import_tasks), not of dynamic ones (include_tasks).`
    : '';

/**
 * What the engine says before or instead of a play. Playbooks and hosts write what these look at: nothing in them repeats
 * without a bound.
 */
const outputRules: ExplainRule[] = [
  [/^bwrap: (.{1,500})/m, ([, said]) => `The sandbox of the job could not be set up: ${said}.`],
  [/The SSH key of the credential could not be loaded: .{0,500}/, ([said]) => said],
  [
    /the playbook: (.{1,500}?) could not be found/,
    ([, name]) =>
      `The playbook ${name} does not exist in this revision of the project. Correct the template, or update the project.`,
  ],
  [
    /the role '([^']{1,500})' was not found/,
    ([, name]) => `The role "${name}" was not found. Add it to the roles folder of the project.`,
  ],
  [/no vault secrets (?:were )?found|Decryption failed/i, (found) => vault(found[0])],
  [/couldn't resolve module\/action '([^']{1,500})'/, ([, name]) => missingModule(name!)],
  [
    /unable to (?:locate|find) collection ([\w.]{1,200})/i,
    ([, name]) =>
      `The collection ${name} is not installed. Add it to the project below collections/ansible_collections.`,
  ],
  [/(?:YAML parsing failed|Syntax Error while loading YAML)[.:]?\s{0,20}(.{0,500})/, (found) => syntax(found)],
  [
    /Specified inventory, host pattern and\/or --limit leaves us with no hosts to target/,
    () => "The job's limit matches no host of the inventory. Correct the limit.",
  ],
  [
    /Unable to parse .{0,500}inventory|Completely failed to parse inventory/,
    () => 'The engine could not read the inventory of the job.',
  ],
];

const place = (file: string | undefined, line: string | undefined) =>
  file
    ? ` in ${file.slice(file.lastIndexOf('/work/project/') + 1).replace(/^work\/project\//, '')}${line ? `, line ${line}` : ''}`
    : '';
const newPlace = /Origin: (.{1,500}?):(\d{1,9})/;
const oldPlace = /appears to be in '([^']{1,500})': line (\d{1,9})/;
const withoutDot = (text: string) => (text.endsWith('.') ? text.slice(0, -1) : text);

/** '' where the engine does not say where. */
function syntax(found: RegExpExecArray): string {
  const rest = found.input.slice(found.index);
  const [new_, old] = [newPlace.exec(rest), oldPlace.exec(rest)];
  const where = new_ && !(old && old.index < new_.index) ? new_ : old;
  const said = found[1];
  return where ? `Syntax error${place(where[1], where[2])}${said ? `: ${withoutDot(said)}` : ''}.` : '';
}

/** An error with a place, where no play got as far as its recap: the place is on the next line, or in words further down. */
function placed(text: string): string {
  const errors = text.matchAll(/(?:\[ERROR\]|ERROR!):? (.{1,500})\n(?:Origin: (.{1,500}?):(\d{1,9}))?/g);
  let words: RegExpExecArray | null | undefined;
  for (const { 1: said, 2: file, 3: line, index } of errors) {
    if (file) return `${withoutDot(said!)}${place(file, line)}.`;
    // what comes after a later error comes after the first one as well
    if (words === undefined) words = oldPlace.exec(text.slice(index));
    if (words) return `${withoutDot(said!)}${place(words[1], words[2])}.`;
  }
  return '';
}
const vault = (said: string) =>
  /no vault secrets found/i.test(said) && !/that could/i.test(said)
    ? 'Something in the project is encrypted, but the job has no vault credential. Add one to the template.'
    : 'The vault password is wrong, or belongs to another vault: nothing could be decrypted with it. Check the vault credentials of the job.';

function missingModule(name: string): string {
  const collection = name.split('.').length > 2 ? name.split('.').slice(0, 2).join('.') : null;
  return collection
    ? `The module ${name} was not found: the collection ${collection} is not installed. Add it to the project below collections/ansible_collections.`
    : `There is no module "${name}". Check its spelling, or install the collection that it comes from.`;
}

const setPython = 'Install it there, or set ansible_python_interpreter for the host.';

/** What failing results say. */
const resultRules: [RegExp, (found: RegExpExecArray, host: string) => string][] = [
  [
    /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    (_, host) => `The host key of ${host} is not the one that is known for it.`,
  ],
  [
    /Permission denied \(|Invalid\/incorrect password|Authentication failed/i,
    (_, host) => `${host} refused the login. Check user name, password and key of the machine credential.`,
  ],
  [
    /Could not resolve hostname|Name or service not known/,
    (_, host) => `The name ${host} cannot be resolved to an address.`,
  ],
  [/Connection refused/, (_, host) => `${host} refuses connections: nothing listens at that port.`],
  [
    /(?:Connection|Operation) timed out|No route to host|Network is unreachable/,
    (_, host) => `${host} cannot be reached over the network.`,
  ],
  [
    /no new privileges|no_new_privs/i,
    (_, host) =>
      `Becoming another user on ${host} does not work inside the sandbox of the job. Reach the machine by ssh instead.`,
  ],
  [
    /(Incorrect|Missing|Duplicate) (\w{1,50}) password/,
    ([, what, method], host) =>
      `The ${method} password for ${host} is ${what === 'Missing' ? 'missing' : 'wrong'}. Check the machine credential's privilege escalation password.`,
  ],
  [
    /Timeout \(\d{1,9}s\) waiting for privilege escalation prompt/,
    (_, host) => `Privilege escalation on ${host} did not answer in time.`,
  ],
  [
    // from the beginning of a word on: else each of its characters would be tried
    /(?<![^\s':])[^\s':/]{0,50}(\/[^\s':]{0,200}python[^\s':]{0,50})'?:? (?:was )?(?:not found|No such file or directory)/i,
    ([, python], host) => `${host} has no usable Python at ${python}. ${setPython}`,
  ],
  [/interpreter.{0,80}(?:not found|no such file)/is, (_, host) => `${host} has no usable Python. ${setPython}`],
  [
    /python\S{0,50}: command not found|pyenv: /,
    (_, host) => `The Python that was found on ${host} does not work. Set ansible_python_interpreter for the host.`,
  ],
  [/no vault secrets (?:were )?found|Decryption failed/i, (found) => vault(found[0])],
  [/No space left on device/, (_, host) => `The disk of ${host} is full.`],
];

function explainResults(events: Failure['events']): string {
  const failed = events.filter(
    ({ event, event_data: data }) =>
      ['runner_on_unreachable', 'runner_on_failed', 'runner_item_on_failed'].includes(event) && !data['ignore_errors'],
  );
  const said = new Set<string>();
  for (const { event, event_data: data } of failed) {
    const host = String(data['host'] ?? 'the host');
    const text = resultText(data['res']);
    for (const [pattern, explain] of resultRules) {
      const found = pattern.exec(text);
      if (!found) continue;
      said.add(explain(found, host));
      break;
    }
    if (!said.size && event === 'runner_on_unreachable') said.add(`${host} is unreachable.`);
  }
  const all = [...said];
  return all.length > 3 ? `${all.slice(0, 3).join(' ')} (and ${all.length - 3} more like these)` : all.join(' ');
}

function resultText(result: unknown): string {
  const { msg, module_stderr, module_stdout, stderr, exception } = (result ?? {}) as Record<string, unknown>;
  return [msg, module_stderr, module_stdout, stderr, exception].filter((part) => typeof part === 'string').join('\n');
}

function first(rules: readonly ExplainRule[], text: string): string {
  for (const [pattern, explain] of rules) {
    const found = pattern.exec(text);
    const said = found && explain(found);
    if (said) return said;
  }
  return '';
}

/** Better than none, where no play got as far as its recap. */
function wordsOfTheEngine(text: string): string {
  if (recapped(text)) return '';
  const explained = placed(text);
  if (explained) return explained;
  const said = [...text.matchAll(/^(?:\[ERROR\]:|ERROR!) (.{1,500})/gm)].at(-1)?.[1];
  return said ?? '';
}

const recapped = (text: string) => /^PLAY RECAP/m.test(text);

/** 126 and 127 are what a shell says of a program that cannot be run; the engine ends with neither. */
export const isNotStarted = (rc: number | null): boolean => rc === 126 || rc === 127;

/** Nothing was played and nothing in the output is known: whatever came last is the best there is. */
function lastWords(rc: number, text: string): string {
  const last = text.trim().split('\n').at(-1)?.trim().slice(0, 500);
  const what = isNotStarted(rc) ? 'The engine could not be started' : `The engine ended with exit code ${rc}`;
  return last ? `${what}: ${withoutDot(last)}.` : `${what} and said nothing.`;
}

export const withoutColours = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, '');
