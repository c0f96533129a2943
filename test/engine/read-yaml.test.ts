import { expect } from 'chai';
import { readYaml } from '../../core/engine/read-yaml.ts';

const refusal = (text: string): string => {
  try {
    readYaml(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('reading YAML of other people', () => {
  it('reads what people write', () => {
    const text = `# a comment\na: &x [1, {b: '[[[[[['}]\nc: *x\nd: |\n  ,,,, [[\n? e\n: "]"\nf: [a, b,]\n`;
    const one = [1, { b: '[[[[[[' }];
    expect(readYaml(text).toJS()).to.deep.equal({ a: one, c: one, d: ',,,, [[\n', e: ']', f: ['a', 'b'] });
  });

  it('counts a key given twice once, the last time', () => {
    expect(readYaml('a: 1\na: 2').toJS()).to.deep.equal({ a: 2 });
  });

  it('names the line of an error', () => {
    expect(refusal('a: 1\nb: [1\nc: 2\n')).to.match(/at line \d/);
  });

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
  };
  for (const [name, [text, said]] of Object.entries(bombs))
    it(`refuses a bomb of ${name}`, () => expect(refusal(text)).to.match(said));
});
