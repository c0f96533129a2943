import { expect } from 'chai';
import { createMasker } from '../../core/runner/ingest/mask.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createRun, createSpool, eventsOf, follow, type Spool } from './spool.ts';

const key =
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nQyNTUxOQAAACDcanary\n-----END OPENSSH PRIVATE KEY-----\n';
const canaries = ['s3cr"et\\Wörd\'quoted', 'canary-plain-1234', key, 'two words\nand a second line of it'];
const hidden = [
  ...canaries.slice(0, 2),
  'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ',
  'QyNTUxOQAAACDcanary',
  'two words',
  'and a second line of it',
];

describe('masking secrets', () => {
  let base: TestDatabase;
  let spool: Spool;
  before(async () => void (base = await createTestDatabase()));
  after(() => base.drop());
  beforeEach(() => void (spool = createSpool()));
  afterEach(() => spool.remove());

  const leaks = (rows: any[]) => {
    const texts = [JSON.stringify(rows), ...rows.flatMap((row) => [row.stdout, row.host_name, row.task])].join('\n');
    return hidden
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
      .filter((form) => texts.includes(form));
  };
  const stored = async (secrets: string[]) => {
    const run = await createRun(base.db);
    await follow({ db: base.db, run, spool, secrets });
    return eventsOf(base.db, run);
  };

  it('hides them in text, in data, in keys, in JSON inside JSON, and in names', async () => {
    for (const secret of canaries) {
      spool.print(`said: ${secret} and ${JSON.stringify({ msg: secret })}\n`);
      const res = {
        msg: `x${secret}y`,
        [secret]: 1,
        nested: [{ deep: JSON.stringify({ again: JSON.stringify(secret) }) }],
        url: `https://u:${encodeURIComponent(secret)}@host/`,
      };
      spool.emit('runner_on_ok', `"msg": ${JSON.stringify(secret)}\n`, { host: secret, task: `run ${secret}`, res });
    }
    const rows = await stored(canaries);
    expect(rows).to.have.length(8);
    expect(leaks(rows)).to.deep.equal([]);
    expect(rows[1].event_data.res.msg).to.equal('x$encrypted$y');
    expect(JSON.stringify(rows)).not.to.include(encodeURIComponent(canaries[0] as string));
  });

  it('finds them in a spool that escapes everything beyond ASCII', async () => {
    const line = JSON.stringify({
      event: 'runner_on_ok',
      uuid: 'a',
      from: 0,
      to: 0,
      event_data: { host: 'h', res: { msg: canaries[0] } },
    });
    spool.raw(
      'events',
      `${line.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`,
    );
    expect((await stored(canaries))[0].event_data.res.msg).to.equal('$encrypted$');
  });

  it('finds one that is cut by nothing but the size of the pieces', async () => {
    const filler = 'x'.repeat(50_000);
    for (let shift = 0; shift < 3; shift += 1)
      spool.print(`${filler}${filler}${'y'.repeat(31_060 + shift * 8)}canary-plain-1234${filler}`);
    expect(leaks(await stored(canaries))).to.deep.equal([]);
  });

  it('leaves the event whole when a secret is one of its own words', async () => {
    spool.emit('runner_on_ok', 'ok: [host]\n', {
      host: 'host',
      res: { changed: true, host: 'playbook', count: 12345, other: 1234567 },
    });
    const [row] = await stored(['host', 'playbook', 'changed', 'runner_on_ok', '12345']);
    expect(row).to.include({ event: 'runner_on_ok', host_name: '$encrypted$', stdout: 'ok: [$encrypted$]' });
    expect(row.event_data).to.deep.equal({
      host: '$encrypted$',
      res: { $encrypted$: '$encrypted$', count: '$encrypted$', other: 1234567 },
    });
  });

  it('does not black out words because of tiny secrets', async () => {
    spool.emit('runner_on_ok', 'a b abc no 1\n', { res: { msg: 'a b abc no 1', yes: 'no' } });
    const [row] = await stored(['a', '1', 'no', 'abc', '', '\n']);
    expect(row.stdout).to.equal('a b abc no 1');
  });

  it('hides passwords in URLs of source control', async () => {
    const run = await createRun(base.db, { kind: 'project_update' });
    spool.emit('runner_on_failed', "fatal: could not read from 'https://bob:pa:ss@git.example/x.git'\n", {
      res: { cmd: 'git clone https://token@git.example/x.git' },
    });
    await follow({ traits: { hidesUrls: true }, db: base.db, run, spool });
    const [row] = await eventsOf(base.db, run);
    expect(row.stdout).to.equal("fatal: could not read from 'https://$encrypted$@git.example/x.git'");
    expect(row.event_data.res.cmd).to.equal('git clone https://$encrypted$@git.example/x.git');
  });

  it('never cuts a secret in two', () => {
    const masker = createMasker(['abcdefgh']);
    expect(masker.cutBefore('xxabcdefghxx', 5)).to.equal(2);
    expect(masker.cutBefore('xxabcdefghxx', 10)).to.equal(10);
    expect(masker.cutBefore('xxabcdefghxx', 2)).to.equal(2);
  });
});
