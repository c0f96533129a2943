import { expect } from 'chai';
import { addToYaml } from '../../core/yaml/read-yaml.ts';
import { yamlToJson } from '../../core/yaml/yaml-to-json.ts';

const read = (text: string) => JSON.parse(yamlToJson({ text }));
const refusal = (text: string): string => {
  try {
    yamlToJson({ text });
    return '';
  } catch (error) {
    expect(error).to.be.instanceOf(SyntaxError);
    return (error as Error).message;
  }
};

describe('reading YAML of other people', () => {
  it('reads what people write', () => {
    const text = `# a comment\na: &x [1, {b: '[[[[[['}]\nc: *x\nd: |\n  ,,,, [[\n? e\n: "]"\nf: [a, b,]\n`;
    const one = [1, { b: '[[[[[[' }];
    expect(read(text)).to.deep.equal({ a: one, c: one, d: ',,,, [[\n', e: ']', f: ['a', 'b'] });
  });

  it('takes quoted names below quoted values, and an anchor below another', () => {
    expect(read(`"a": "1"\n"b": '2'\n'c': '3'\n`)).to.deep.equal({ a: '1', b: '2', c: '3' });
    expect(read('a: &x\n  &y b: &z\n    &w c: 1\n')).to.deep.equal({ a: { b: { c: 1 } } });
    expect(read('a: !!map\n  !!str 1: 2\n')).to.deep.equal({ a: { 1: 2 } });
  });

  it('counts a key given twice once, the last time', () => {
    expect(read('a: 1\na: 2')).to.deep.equal({ a: 2 });
  });

  it('adds a name and leaves the rest as it is written', () => {
    const text = '# why\na: yes # so\nb: 0777\nc: !vault |\n  abc\nd: &x "1"\ne: *x';
    expect(addToYaml({ text, key: 'port', value: '22' })).to.equal(`${text}\nport: 22`);
  });

  it('names the line of an error', () => {
    expect(refusal('a: 1\nb: [1\nc: 2\n')).to.match(/at line \d/);
    expect(refusal('a: 1\r\nb: 2001-02-30\r\n')).to.equal('no such date at line 2');
  });

  const wrong: Record<string, [text: string, said: RegExp]> = {
    'a second document': ['a: 1\n---\nb: 2', /more than one document/],
    'an anchor set twice': ['a: &x 1\nb: &x 2', /anchor x is set twice at line 2/],
    'an alias of nothing': ['a: *x', /alias x stands before what it refers to/],
    'an alias within what it refers to': ['a: &x [*x]', /alias x stands in what it refers to/],
    'a list as a name': ['? [a]\n: 1', /a name must be a single value/],
    'a merge of what is no mapping': ['a: 1\n<<: [{b: 1}, 2]', /<< takes a mapping or a list of mappings/],
    'a tag that nobody knows': ['a: !Ref x', /cannot hold what is tagged !Ref at line 1/],
    'what JSON has nothing like': ['a: !!set {x}', /cannot hold what is tagged !!set/],
    bytes: ['a: !!binary aGk=', /cannot hold what is tagged !!binary/],
    infinity: ['a: -.inf', /infinite numbers/],
    'a number that Python does not write': [`a: ${'9'.repeat(4301)}`, /more than 4300 digits/],
    'such a number on the base of sixty': [`a: 1${':1'.repeat(100_000)}`, /more than 4300 digits/],
    'half of a surrogate pair': ['a: "\\ud83d"', /half of a surrogate pair/],
    'a control character': ['a: \u0007', /control character/],
    'a line separator, which ends a line to some': ['a: b\u2028c', /control character/],
    'a text in brackets that is a name to some': ['a: [?b]', /begins with \? must be quoted/],
    'a tag on a value that does not suit it': ['a: !!int x', /not a whole number/],
    'nesting without brackets': [`a:\n  ${'- '.repeat(150)}`, /nested deeper than 100/],
  };
  for (const [name, [text, said]] of Object.entries(wrong))
    it(`refuses ${name}`, () => expect(refusal(text)).to.match(said));

  // each of them would keep the parser busy for seconds to minutes
  const many = 40_000;
  const bombs: Record<string, [text: string, said: RegExp]> = {
    'brackets that open': ['['.repeat(many), /nested deeper than 100/],
    'braces that open': ['{a: '.repeat(many), /nested deeper than 100/],
    'brackets that close': [']'.repeat(many), /closed that was not opened/],
    commas: [`[${','.repeat(many)}`, /comma after comma/],
    anchors: ['&a '.repeat(many), /anchor after anchor/],
    tags: [`a: ${'!!str '.repeat(many / 2)}`, /tag after tag/],
    quotes: ['""'.repeat(many), /scalar after double-quoted-scalar/],
    directives: ['%X\n'.repeat(many), /too many directives/],
    aliases: [`a: &a 1\n${'b: *a\n'.repeat(many / 2)}`, /more than 1000 aliases/],
    'a text without end': ['a'.repeat(10 * many), /too long to be read as YAML/],
    'aliases of aliases': [
      `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]`).join('\n')}`,
      /aliases refer to over 1000000 characters/,
    ],
    'long texts, often referred to': [`a: &a ${'x'.repeat(100_000)}\nb: [${'*a, '.repeat(20)}]`, /over 1000000/],
    'merges of merges': [
      `a: &a {${Array.from({ length: 1000 }, (_, i) => `k${i}: 1`)}}\n${Array.from({ length: 900 }, (_, i) => `m${i}:\n  <<: *a`).join('\n')}`,
      /over 1000000/,
    ],
  };
  for (const [name, [text, said]] of Object.entries(bombs))
    it(`refuses a bomb of ${name}`, () => expect(refusal(text)).to.match(said));
});
