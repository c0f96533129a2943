import { expect } from 'chai';
import { extraVarsFile } from '../../core/run-kinds/execution/extra-vars-file.ts';
import { readVariables, sameValue, storedVariables, variablesProblem } from '../../core/yaml/variables.ts';

const problemOf = (value: unknown) =>
  readVariables(value).then(
    () => expect.fail(`${JSON.stringify(value)} was read`),
    (error: Error) => error.message,
  );

describe('variables', () => {
  it('are the empty mapping where nothing is written', async () => {
    for (const text of ['', ' \n', '---', '# a note', '~', 'null', '{}'])
      expect(await readVariables(text), text).to.deep.equal({});
  });

  it('say what both parsers say, without the text', async () => {
    expect(await problemOf('secret: [1')).to.match(
      /^Cannot parse as JSON \(error: .+\) or YAML \(error: .+ at line 1\)\.$/,
    );
    expect(await problemOf('secret: [1')).not.to.include('secret');
    const said = 'Cannot parse as JSON (error: not a mapping but a list) or YAML (error: not a mapping but a list).';
    expect(await problemOf('[1]')).to.equal(said);
    expect(await problemOf([1])).to.equal(said);
    expect(await problemOf('- 1')).to.match(
      /^Cannot parse as JSON \(error: .+\) or YAML \(error: not a mapping but a list\)\.$/,
    );
  });

  it('keep the digits of numbers that JavaScript would write in another way', async () => {
    const digits = '{"a":1.0,"b":12345678901234567890,"c":[1e5,-0.10],"d":0.5}';
    expect(JSON.stringify(await readVariables(digits))).to.equal(digits);
    const yaml = 'a: 1.0\nb: 12345678901234567890\nc: 0xFFFFFFFFFFFFFFFF\nd: 1.\n1.10: 1.10\ne: 1:30:00.5';
    expect(JSON.stringify(await readVariables(yaml))).to.equal(
      '{"a":1.0,"b":12345678901234567890,"c":18446744073709551615,"d":1.0,"1.1":1.10,"e":5400.5}',
    );
  });

  it('reach the engine with these digits, in its own notation', async () => {
    const merged = await readVariables('{"a": 1.0, "b": 12345678901234567890, "c": 1e5, "d": [2E-7, 1.5e300]}');
    expect(extraVarsFile({ merged, template: merged, injected: {}, allowJinja: 'template' })).to.equal(
      '{\n? "a"\n: 1.0,\n? "b"\n: 12345678901234567890,\n? "c"\n: 1.0e+5,\n? "d"\n: [2.0e-7, 1.5e+300]\n}\n',
    );
  });

  it('hold nothing that JSON cannot', async () => {
    for (const value of ['{"a": 1e999}', `{"a": ${'9'.repeat(4301)}}`, { a: Infinity }, { a: [NaN] }])
      expect(await problemOf(value)).to.match(/Infinite numbers, NaN and numbers of over 4300 digits/);
    for (const a of [1n, new Date(), new Map(), new Set(), new Uint8Array()])
      expect(await problemOf({ a })).to.match(/JSON cannot represent/);
    let deep: unknown = 1;
    for (let level = 0; level < 101; level++) deep = [deep];
    for (const value of [{ deep }, JSON.stringify({ deep })])
      expect(await problemOf(value)).to.match(/deeper than 100/);
  });

  it('may be encrypted or unsafe where they go to the engine as inventory, and only there', async () => {
    const text = 'a: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  3132\nb: !unsafe ["{{ x }}", 5, {c: d}]\n';
    expect(await readVariables(text, { engineTags: true })).to.deep.equal({
      a: { __ansible_vault: '$ANSIBLE_VAULT;1.1;AES256\n3132\n' },
      b: [{ __ansible_unsafe: '{{ x }}' }, 5, { c: { __ansible_unsafe: 'd' } }],
    });
    expect(await variablesProblem(text)).to.match(/cannot hold what is tagged !vault at line 1/);
    expect(await variablesProblem('a: !unsafe x')).to.match(/cannot hold what is tagged !unsafe/);
    const both = { engineTags: true };
    expect(await variablesProblem('a: !vault 5', both)).to.match(/!vault takes a text/);
    expect(await variablesProblem('a: &x y\nb: !unsafe [*x]', both)).to.match(
      /alias x is on the other side of an !unsafe/,
    );
  });

  it('count as empty where what is stored cannot be read any more', async () => {
    expect(await storedVariables('a: [')).to.deep.equal({});
  });

  it('are the same when they come back from a client that knows numbers as JavaScript does', async () => {
    const text = '{"a": 1.0, "b": {"y": 12345678901234567890, "x": 1e5}, "c": 9007199254740993}';
    const own = await readVariables(text);
    const sent = JSON.parse(text);
    for (const name of Object.keys(own)) expect(sameValue(own[name], sent[name]), name).to.equal(true);
    const other = await readVariables('{"a": 1.5, "c": 9007199254740995}');
    for (const name of Object.keys(other)) expect(sameValue(own[name], other[name]), name).to.equal(false);
  });
});
