import { createWriteStream, mkdtempSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const uuid = (n: number) => `0242ac11-0002-${n.toString(16).padStart(12, '0')}`;

/** What the engine's module `command` answers. */
function result(n: number): object {
  return {
    changed: true,
    cmd: ['/bin/echo', `item ${n}`],
    delta: '0:00:00.003412',
    start: '2026-01-01 00:00:00.000000',
    end: '2026-01-01 00:00:00.003412',
    rc: 0,
    stdout: `item ${n}`,
    stdout_lines: [`item ${n}`],
    stderr: '',
    stderr_lines: [],
    msg: '',
    ansible_loop_var: 'item',
    item: n,
    _ansible_item_label: n,
    invocation: {
      module_args: {
        _raw_params: `/bin/echo item ${n}`,
        _uses_shell: false,
        argv: null,
        chdir: null,
        creates: null,
        executable: null,
        removes: null,
        stdin: null,
      },
    },
  };
}

function item(n: number, from: number, to: number): string {
  return JSON.stringify({
    event: 'runner_item_on_ok',
    uuid: uuid(n),
    parent_uuid: uuid(2),
    created: '2026-01-01T00:00:00.000000+00:00',
    from,
    to,
    verbosity: 0,
    event_data: {
      playbook: 'site.yml',
      playbook_uuid: uuid(0),
      play: 'all',
      play_uuid: uuid(1),
      play_pattern: 'all',
      task: 'loop',
      task_uuid: uuid(2),
      task_action: 'command',
      resolved_action: 'ansible.builtin.command',
      task_args: '',
      task_path: '/work/project/site.yml:4',
      host: 'localhost',
      res: result(n),
      uuid: uuid(n),
      guid: uuid(9),
    },
  });
}

/** A spool folder as a long loop leaves it: `count` result events of about 1.2 kB with a line of output each. */
export async function makeRecording(count: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-recording-'));
  const events = createWriteStream(join(folder, 'events.ndjson'));
  const stdout = createWriteStream(join(folder, 'stdout'));
  let offset = 0;
  for (let n = 1; n <= count; n++) {
    const text = `\u001B[0;33mchanged: [localhost] => (item=${n})\u001B[0m\n`;
    const free = events.write(`${item(n, offset, offset + text.length)}\n`);
    stdout.write(text);
    offset += text.length;
    if (!free) await new Promise((resolve) => events.once('drain', () => resolve(undefined)));
  }
  events.end();
  stdout.end();
  await Promise.all([finished(events), finished(stdout)]);
  return folder;
}
