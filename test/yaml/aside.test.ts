import { expect } from 'chai';
import { addPort } from '../../core/inventory/port.ts';
import { createAside, ofAnyLength } from '../../core/yaml/aside.ts';
import { readVariables, storedVariables, variablesProblem } from '../../core/yaml/variables.ts';
import { add, seedInventory } from '../inventory/seed.ts';
import { type Api, startApi } from '../support/api.ts';
import { where } from './where.ts';

const longFlow = `a: [${'a, '.repeat(30_000)}b]\n`;
const padding = `# ${'x'.repeat(20_000)}\n`;

/** Texts of every kind that the readers tell apart, long enough to be read elsewhere. */
const texts: Record<string, string> = {
  'a plain mapping': 'a: 1\nb: [x, {c: d}]\n',
  'numbers whose digits count': 'a: 1.0\nb: 12345678901234567890\nc: [1e5, 1.0]\nd: &x 2.50\ne: *x\n',
  'values that the engine decrypts': 'a: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  3132\nb: !unsafe "{{ x }}"\n',
  'shared values': 'a: &a {x: [1.0, 2], y: {z: 1.0}}\nb: *a\nc: [*a, *a]\n',
  'merged mappings': 'a: &a {x: 1.0}\nb:\n  <<: *a\n  y: yes\n',
  'names of the language': '__proto__: {x: 1}\nconstructor: 2\ntoString: 1.0\n',
  'dates, sets and ordered mappings': 'a: 2001-01-01\nb: !!set {x, y}\nc: !!omap [{k: 1.0}]\nd: !!binary aGk=\n',
  'infinite numbers': 'a: .inf\nb: .nan\n',
  'a key given twice': 'a: 1\na: 2\n',
  nothing: '---\n',
  'a list': '- 1\n',
  'a scalar': 'x\n',
  'an unknown alias': 'a: *b\n',
  'an error': 'a: [1\nb: 2\n',
  'an expansion bomb': `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]`).join('\n')}`,
};

/** JSON text or what went wrong, without the line, which the padding moves, and the words of the reader of JSON. */
const outcome = async (work: Promise<unknown>) => {
  try {
    return { json: JSON.stringify(await work) };
  } catch (error) {
    return { message: (error as Error).message.replace(/ at line \d+/, '').replace(/^.*?\) or/, '') };
  }
};

describe('long YAML', () => {
  for (const [name, text] of Object.entries(texts)) {
    it(`is read aside as on the spot: ${name}`, async () => {
      const long = padding + text;
      for (const reading of [{}, { engineTags: true }]) {
        const here = await outcome(readVariables(text, reading));
        const aside = await outcome(readVariables(long, reading));
        expect(aside).to.deep.equal(here);
        expect((await variablesProblem(long, reading)) === undefined).to.equal('json' in here);
        expect(await outcome(storedVariables(long, reading))).to.deep.equal('json' in here ? here : { json: '{}' });
      }
      const port = await outcome(addPort(text, 22));
      if (port.json && !port.json.startsWith('"{')) port.json = JSON.stringify(padding + JSON.parse(port.json));
      expect(await outcome(addPort(long, 22))).to.deep.equal(port);
    });
  }

  it('is not what is short, or refused for its length anyway', async () => {
    const read = ofAnyLength(new URL('where.ts', import.meta.url), where);
    const places = [16_000, 16_001, 250_000, 250_001].map((length) => read({ text: 'x'.repeat(length) }));
    expect(await Promise.all(places)).to.deep.equal(['16000 here', '16001 aside', '250000 aside', '250001 here']);
  });

  const reader = { module: new URL('../../core/yaml/yaml-to-json.ts', import.meta.url), name: 'yamlToJson' };
  const refused = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('it was read'),
      (error: Error) => `${error.name}: ${error.message}`,
    );

  it('is given up after a time, and the next one is read', async () => {
    const readAside = createAside({ threads: 1, limitMs: 5 });
    expect(await refused(readAside(reader, { text: longFlow }))).to.match(
      /^AsideError: It takes longer than 0.005 s to read\..*JSON/,
    );
    const patient = createAside({ threads: 1 });
    expect(await patient(reader, { text: 'a: 1' })).to.equal('{"a":1}');
  });

  it('is given up when it needs too much memory, and the next one is read', async () => {
    const readAside = createAside({ threads: 1, memoryMb: 24 });
    expect(await refused(readAside(reader, { text: longFlow }))).to.match(
      /^AsideError: It takes too much memory to read\./,
    );
    expect(await readAside(reader, { text: 'a: 1' })).to.equal('{"a":1}');
  });

  it('waits for its turn, but for texts of requests not without end', async () => {
    const readAside = createAside({ threads: 1 });
    const asked = Array.from({ length: 60 }, () =>
      readAside(reader, { text: 'a: 1' }).then(
        () => 200,
        ({ status }) => status as number,
      ),
    );
    const stored = readAside(reader, { text: 'a: 2' }, { patient: true });
    const answers = await Promise.all(asked);
    expect(answers).to.deep.equal([...Array(51).fill(200), ...Array(9).fill(503)]);
    expect(await stored).to.equal('{"a":2}');
  });
});

describe('long YAML in requests', () => {
  let api: Api;
  let host: any;
  before(async () => {
    api = await startApi();
    const { id } = await seedInventory(api, 'long');
    host = await add(api, '/api/v2/hosts/', { name: 'h', inventory: id });
  });
  after(() => api?.stop());

  /** How many other requests were answered while this one was under way. */
  async function meanwhile(work: Promise<any>): Promise<{ answer: any; others: number }> {
    const seen = { done: false, others: 0 };
    const answer = work.finally(() => void (seen.done = true));
    while (!seen.done) {
      // oxlint-disable-next-line no-await-in-loop
      await api.admin('GET', '/api/v2/ping/');
      seen.others += seen.done ? 0 : 1;
    }
    return { answer: await answer, others: seen.others };
  }

  it('lets others be answered while it is checked, and while it is read again', async () => {
    const written = await meanwhile(api.admin('PATCH', host.url, { variables: longFlow }));
    expect(written.answer.status).to.equal(200);
    // a parser on the thread that answers lets one or two pass, before and after it
    expect(written.others).to.be.above(5);
    const read = await meanwhile(api.admin('GET', `${host.url}variable_data/`));
    expect(read.answer.body.a).to.have.length(30_001);
    expect(read.others).to.be.above(5);
  });

  it('is refused under its field as short texts are', async () => {
    const { status, body } = await api.admin('PATCH', host.url, { variables: `${padding}a: [1` });
    expect(status).to.equal(400);
    expect(body.variables[0]).to.match(/^Cannot parse as JSON .* or YAML/);
  });
});
