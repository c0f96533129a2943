import { expect } from 'chai';

/** As the API shows them. */
export interface StoredEvent {
  event: string;
  event_data: Record<string, any>;
  counter: number;
  uuid: string;
  parent_uuid: string;
  stdout: string;
  start_line: number;
  end_line: number;
  verbosity: number;
}

/** Lines of an output that can be compared with those of another run; `place` is the folder it ran in. */
export const comparable = (text: string, place: string): string[] =>
  resultsByHost(normalise(text.replaceAll(place, '<workspace>'))).split('\n');

/** Hosts that play a task at once answer in any order: their results are sorted below the task's banner, whose order stays. */
const resultsByHost = (text: string) =>
  text
    .split('\n\n')
    .map((section) => {
      const [banner = '', ...results] = section.split(/\n(?=\S*(?:ok|changed): \[)/);
      return [banner, ...results.toSorted()].join('\n');
    })
    .join('\n\n');

/** What differs between two bare runs as well: times, process ids, names of temporary files, job ids. */
function normalise(text: string): string {
  return (
    text
      .replaceAll(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?/g, '<time>')
      .replaceAll(/\b\d:\d\d:\d\d\.\d+/g, '<duration>')
      .replaceAll(/ansible-(tmp|local)-[\w.-]+/g, '<temporary>')
      .replaceAll(/\/tmp[\w]{8}\b/g, '/<temporary>')
      .replaceAll(/j\d+\.\d+/g, '<jid>')
      // the bare engine is another user's
      .replaceAll(/CONNECTION FOR USER: \S+/g, 'CONNECTION FOR USER: <user>')
      // and is told where its temporary files go
      .replaceAll(/^.*EXEC \/bin\/sh -c 'echo ~\w+ && sleep 0'.*\n/gm, '')
  );
}

/** Types in order; runs of the same type are written once with a plus. Hosts that play at once are told one after the other. */
export const sequence = (events: readonly StoredEvent[]): string =>
  byHost(events)
    .map(({ event }) => event.replace(/^(playbook|runner)_on_/, '').replace(/^runner_/, ''))
    .join(' ')
    .replaceAll(/\b(\S+)( \1)+\b/g, '$1+');

/** Between the events of a play or a task. */
function byHost(events: readonly StoredEvent[]): StoredEvent[] {
  const groups: StoredEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (event.event.startsWith('runner_') && last?.[0]?.event.startsWith('runner_')) last.push(event);
    else groups.push([event]);
  }
  const host = ({ event_data: data }: StoredEvent) => String(data['host']);
  return groups.flatMap((group) => group.toSorted((a, b) => host(a).localeCompare(host(b))));
}

const ofTask = [
  'playbook',
  'playbook_uuid',
  'play',
  'play_uuid',
  'play_pattern',
  'task',
  'task_action',
  'resolved_action',
  'task_args',
  'task_path',
];

/** The events are the whole output, each line of it once and in order; parents came before; each has a name of its own. */
export function assertConsistent(events: readonly StoredEvent[], output: string): void {
  const lines = output.split('\n');
  const seen = new Set(['']);
  let line = 0;
  for (const [index, { event, event_data: data, uuid, parent_uuid: parent, ...shown }] of events.entries()) {
    expect(shown.counter).to.equal(index + 1);
    expect(shown.start_line, `${event} starts where the text before it ended`).to.equal(line);
    expect(shown.stdout, `the text of ${event}`).to.equal(lines.slice(line, shown.end_line).join('\n'));
    expect(seen.has(parent), `the parent of ${event} came before it`).to.equal(true);
    expect(seen.has(uuid), `${event} has a name of its own`).to.equal(false);
    // texts that no play said have no more than a name
    if (event !== 'verbose') expect(data['uuid']).to.equal(uuid);
    if (event.startsWith('runner_')) expect(data['task_uuid']).to.equal(parent);
    if (event.startsWith('runner_') || event === 'playbook_on_task_start') expect(data).to.include.all.keys(ofTask);
    seen.add(uuid);
    line = shown.end_line;
  }
  // without a play there are no events: the text is there all the same
  if (events.length) expect(lines.slice(line).join('\n'), 'what no event holds').to.equal('');
}
