import { expect } from 'chai';
import { adviceFor } from '../../plugins/console/web/pages/job/advice.ts';
import { defaultValue, launchBody, prompts, sentValue } from '../../plugins/console/web/pages/launch/prompts.ts';
import { ansiSpans, plainText } from '../../plugins/console/web/output/ansi.ts';
import { OutputLines } from '../../plugins/console/web/output/lines.ts';
import { createReader } from '../../plugins/console/web/output/reader.ts';

const event = (counter: number, stdout: string, start_line: number, end_line: number) => ({
  counter,
  stdout,
  start_line,
  end_line,
});
const all = (lines: OutputLines) => Array.from({ length: lines.total }, (_, at) => lines.text(at));

describe('the console: lines of output', () => {
  it('come out whole from events in any order, some of them twice', () => {
    const lines = new OutputLines();
    const events = [event(1, '\nPLAY [all]', 0, 2), event(2, '', 2, 2), event(3, 'ok: [a]\nok: [b]', 2, 4)];
    for (const one of [events[2]!, events[0]!, events[1]!, events[2]!]) lines.add(one);
    expect(all(lines)).to.deep.equal(['', 'PLAY [all]', 'ok: [a]', 'ok: [b]']);
  });

  it('join a line that one event begins and another ends', () => {
    const lines = new OutputLines();
    lines.add(event(2, 'done', 0, 1));
    lines.add(event(1, 'working ... ', 0, 0));
    expect(all(lines)).to.deep.equal(['working ... done']);
  });

  it('know where something is missing, and that an event cut short has to be read again', () => {
    const lines = new OutputLines();
    lines.add(event(9, 'a\nb…', 10, 14));
    expect([lines.total, lines.firstMissing(10, 14)]).to.deep.equal([14, 11]);
    lines.addRead(11, 14, [event(9, 'a\nb\nc\nd', 10, 14)], true);
    expect(lines.firstMissing(10, 14)).to.equal(null);
    expect(lines.text(13)).to.equal('d');
    expect(lines.firstMissing(0, 14)).to.equal(0);
    lines.addRead(0, 10, [], true);
    expect([lines.firstMissing(0, 14), lines.text(5)]).to.deep.equal([null, '']);
  });

  it('get on with each read, whatever it brings', () => {
    const lines = new OutputLines();
    lines.reachTo(5);
    for (let reads = 0, at: number | null = 0; at !== null; reads += 1) {
      expect(reads).to.be.lessThan(6);
      lines.addRead(at, 5, [], false);
      at = lines.firstMissing(0, 5);
    }
  });

  it('are read from events nearby, wherever somebody looks, and never through all that was printed', async () => {
    // most print one line, some nothing, some a few
    let line = 0;
    const events = Array.from({ length: 100_000 }, (_, i) => {
      const texts = Array.from({ length: [1, 1, 1, 0, 3, 1, 7][i % 7]! }, (_, part) => `${i + 1}.${part}`);
      const start = line;
      line += texts.length;
      return event(i + 1, texts.join('\n'), start, line);
    });
    const expected = events.flatMap(({ stdout }) => (stdout ? stdout.split('\n') : []));
    let [reads, passed] = [0, 0];
    /** As the service does: from event to event by their counters, until there are enough. */
    const ask = async (query: string) => {
      const given = new URLSearchParams(query);
      const bound = (name: string, other: number) => Number(given.get(name) ?? other);
      const [after, under] = [
        Math.max(bound('counter__gt', 0), bound('counter__gte', 1) - 1),
        bound('counter__lt', 1e9),
      ];
      const found = [];
      const walked = events.slice(after, Math.max(after, under - 1));
      for (const one of given.get('order_by') === 'counter' ? walked : walked.toReversed()) {
        if (found.length === bound('limit', 0)) break;
        passed += 1;
        if (one.end_line > bound('end_line__gt', -1) && one.start_line < bound('start_line__lt', 1e9)) found.push(one);
      }
      reads += 1;
      return found;
    };
    const failed = { value: false };
    const reader = createReader(ask, () => undefined, failed);
    const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
    reader.readEnd();
    await settled();
    expect(reader.lines.total).to.equal(expected.length);
    for (const at of [0, expected.length - 90, 100_000, 100_060, 99_950, 30_000, 150_000, 12_345]) {
      [reads, passed] = [0, 0];
      reader.need(at, at + 90);
      await settled();
      const shown = Array.from({ length: 90 }, (_, i) => reader.lines.text(at + i));
      expect(shown).to.deep.equal(expected.slice(at, at + 90));
      expect([reads <= 6, passed < 2500], `${reads} reads of ${passed} events for line ${at}`).to.deep.equal([
        true,
        true,
      ]);
    }
    expect(failed.value).to.equal(false);
  });

  it('show colours by class and drop every other escape sequence', () => {
    const line = '\x1b[1;31mfatal\x1b[0m: \x1b[0;32mok\x1b[39m \x1b[38;5;208mtext\x1b[2K\x1b]0;title\x07!';
    expect(ansiSpans(line)).to.deep.equal([
      { text: 'fatal', style: 'ansi-red ansi-bold' },
      { text: ': ', style: '' },
      { text: 'ok', style: 'ansi-green' },
      { text: ' ', style: '' },
      { text: 'text', style: '' },
      { text: '!', style: '' },
    ]);
    expect(plainText(line)).to.equal('fatal: ok text!');
  });
});

describe('the console: what is sent at a launch', () => {
  const info = {
    can_start_without_user_input: false,
    passwords_needed_to_start: [],
    inventory_needed_to_start: false,
    defaults: {
      limit: 'web',
      forks: 0,
      verbosity: 1,
      credentials: [{ id: 3 }],
      inventory: { id: 7 },
      diff_mode: false,
    },
  };
  const defaults = Object.fromEntries(prompts.map((prompt) => [prompt.key, defaultValue(prompt, info)]));

  it('is nothing but what differs from the template', () => {
    expect(launchBody(prompts, info, defaults, { ssh_password: '' })).to.deep.equal({});
    const values = { ...defaults, limit: '', forks: '5', credentials: ['3', '4'], inventory: '8', diff_mode: true };
    expect(launchBody(prompts, info, values, { ssh_password: 'x' })).to.deep.equal({
      limit: '',
      forks: 5,
      credentials: [3, 4],
      inventory: 8,
      diff_mode: true,
      credential_passwords: { ssh_password: 'x' },
    });
  });

  it('leaves what cannot be right to the service, which says why', () => {
    const forks = prompts.find(({ key }) => key === 'forks')!;
    expect([sentValue(forks, '-1'), sentValue(forks, '1.5'), sentValue(forks, '')]).to.deep.equal([
      -1,
      '1.5',
      undefined,
    ]);
  });
});

describe('the console: what to do about a failure', () => {
  it('is told for what the engine says most often', () => {
    expect(adviceFor('Permission denied (publickey,password).')).to.include('authorized_keys');
    expect(adviceFor('ssh: connect to host x port 22: Connection refused')).to.include('ssh port');
    expect(adviceFor("'release' is undefined")).to.include('variable has no value');
    expect(adviceFor('something else')).to.equal(null);
  });
});
