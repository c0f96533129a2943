import fc from 'fast-check';

interface Scalar {
  text: string;
  style: 'plain' | 'single' | 'double' | 'literal' | 'folded';
}
/** How a node is written. */
interface Dress {
  tag: string;
  anchored: boolean;
  flow: boolean;
  /** `? name` */
  explicit: boolean;
  comment: boolean;
}
interface Written extends Dress {
  scalar?: Scalar;
  list?: Written[];
  mapping?: [name: Written, value: Written][];
  /** which of the anchors so far, where there are any */
  alias?: number;
}

const words = (text: string) => text.split(' ');
/** What YAML 1.1, YAML 1.2 and PyYAML differ in, or people write by hand. */
const plain = [
  ...words('yes Yes YES yEs no No NO on On ON off Off OFF y Y n N true True TRUE tRUE false False FALSE'),
  ...words('~ null Null NULL nULL << < . .. a b c d e f'),
  ...words('0 -0 +0 00 0777 -0777 08 0o17 0b101 -0b11 0b2 0x1F -0x1f 0xG 1_000 _1 1__0_ 0_7 1,000'),
  ...words(
    '1.0 1.10 -1.5 +1.5 .5 -.5 1. 1.e+3 1e3 1E3 1.0e3 1.0e+3 1.0E-3 1_0.5_0 0.1e+1 1e+3 -0.0 1.7976931348623157e+308',
  ),
  ...words('9007199254740993 12345678901234567890 -12345678901234567890 0xFFFFFFFFFFFFFFFFF 123456789.12345678901'),
  ...words('1:30 -1:30 1:60 0:30 01:30 190:20:30 190:20:30.15 1:30. 12:30:45 1:2:3:4:5:6:7:8:9:10'),
  ...words('2001-01-01 2001-1-1 2000-02-29 2001-12-14T21:59:43Z 2001-1-1T1:02:03 2001-12-14t21:59:43.10-05:00'),
  ...words('2001-12-14T21:59:43.123456789+23:59 a#b -a http://x/y?z=1#a {{x}} x{{y}} é 😀 __proto__ constructor'),
  'a b',
  '2001-12-14 21:59:43.10 -5',
  '2001-12-14 21:59:43',
  "it's",
  'C:\\dir',
  'a\nb',
  'a\n\n b\nc',
  '\u00a0',
  '\u200b',
  '',
];
/** Of these the engine reads some only where they are quoted, and some not at all. */
const awkward = [
  ...words(
    '= .inf +.inf -.inf .Inf .NaN .nan -.nan - -- --- ... 0b_ 0x_ 2001-02-29 2001-13-01 0000-01-01 2001-12-14T24:00:00',
  ),
  ...words('2001-12-14T21:59:43+24:00 ?a :a #a @a %a `a !a &a *a | > [ ] { } , a,b " \''),
  'a: b',
  'a #b',
  '- a',
  '? a',
  'a:',
  ' ',
  ' a ',
  'a\n',
  '\na',
  'a\n\nb\n c\n',
  'a \n\tb',
  '\ufeff',
  '\t',
  'a\tb',
  '\u007f',
  '$ANSIBLE_VAULT;1.1;AES256\n3132\n',
];
const numeric = fc.stringMatching(/^[-+]?[0-9][0-9_.:xob]{0,6}([eE][-+]?[0-9]{1,2})?$/);
const odd = fc.oneof(
  fc.constantFrom(...awkward),
  fc.stringMatching(/^[a-z '":#,?!&*|>%@{}[\]\\\n-]{0,12}$/),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const often = <T>(usual: T, weight: number, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const quoted = fc.constantFrom<Scalar['style']>('single', 'double', 'double', 'literal', 'folded');
const scalar = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({ text: fc.constantFrom(...plain), style: often<Scalar['style']>('plain', 4, quoted) }),
  },
  { weight: 20, arbitrary: fc.record({ text: numeric, style: often<Scalar['style']>('plain', 8, quoted) }) },
  { weight: 15, arbitrary: fc.record({ text: odd, style: quoted }) },
);

const scalarTags = words(
  '!!str !!str !!int !!float !!bool !!null ! ! !unsafe !vault !!binary !!timestamp !local !<tag:yaml.org,2002:str>',
);
const dress = (usual: string[]) =>
  fc.record<Dress>({
    tag: often('', 15, often('!unsafe', 1, fc.constantFrom(...usual))),
    anchored: often(false, 4, fc.constant(true)),
    flow: often(false, 2, fc.constant(true)),
    explicit: often(false, 15, fc.constant(true)),
    comment: often(false, 15, fc.constant(true)),
  });
const dressed = <T>(content: fc.Arbitrary<T>, tags: string[]) =>
  fc.tuple(content, dress(tags)).map(([what, how]) => ({ ...what, ...how }));
const alias = dressed(fc.record({ alias: fc.nat(9) }), ['']);

const { node, name } = fc.letrec<{ node: Written; name: Written; mapping: Written }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    { weight: 10, arbitrary: dressed(fc.record({ scalar }), scalarTags) },
    { weight: 2, arbitrary: alias },
    {
      weight: 4,
      arbitrary: dressed(fc.record({ list: fc.array(tie('node'), { maxLength: 4 }) }), [
        '!!seq',
        '!',
        '!!omap',
        '!!set',
      ]),
    },
    { weight: 6, arbitrary: tie('mapping') },
  ),
  mapping: dressed(fc.record({ mapping: fc.array(fc.tuple(tie('name'), tie('node')), { maxLength: 5 }) }), [
    '!!map',
    '!',
    '!!set',
    '!!omap',
  ]),
  name: fc.oneof(
    { weight: 90, arbitrary: dressed(fc.record({ scalar }), scalarTags) },
    { weight: 2, arbitrary: alias },
    { weight: 1, arbitrary: tie('node') },
  ),
}));

/** Writes a node as it stands behind its name or dash, beginning with a space or a line break. */
class Printer {
  #count = 0;
  /** anchors whose nodes are complete */
  readonly #anchors: string[] = [];

  print(node: Written, indent: number, place: 'block' | 'flow' | 'name'): string {
    if (node.alias !== undefined) return ` ${this.#anchors[node.alias % this.#anchors.length] ?? 'none'}`;
    const anchor = node.anchored ? `a${this.#count++}` : '';
    const body = this.#body(node, indent, place);
    if (anchor) this.#anchors.push(`*${anchor}`);
    const comment = node.comment && body.startsWith('\n') ? ' # note' : '';
    return `${node.tag && ` ${node.tag}`}${anchor && ` &${anchor}`}${comment}${body}`;
  }

  #body({ scalar, list, mapping, flow }: Written, indent: number, place: 'block' | 'flow' | 'name'): string {
    const inner = flow || place !== 'block' ? 'flow' : 'block';
    const line = `\n${'  '.repeat(indent)}`;
    if (list) {
      const items = list.map((item) => this.print(item, indent + 1, inner));
      return inner === 'flow' ? ` [${items.join(',')} ]` : items.map((item) => `${line}-${item}`).join('') || ' []';
    }
    if (mapping) {
      const entries = mapping.map((entry) => this.#entry(entry, indent, inner));
      return inner === 'flow' ? ` {${entries.join(', ')} }` : entries.map((entry) => line + entry).join('') || ' {}';
    }
    return ` ${write(scalar!, '  '.repeat(indent), place) || (place === 'name' ? '~' : '')}`;
  }

  #entry([given, content]: [Written, Written], indent: number, place: 'block' | 'flow'): string {
    // the engine overlooks the tags of what it merges, and we do not
    const merge = given.scalar?.text === '<<';
    const [name, value] = merge
      ? [
          { ...given, anchored: false },
          { ...content, tag: '' },
        ]
      : [given, content];
    if (name.explicit) {
      const key = this.print(name, indent + 1, place);
      const line = place === 'block' ? `\n${'  '.repeat(indent)}` : ' ';
      return `?${key}${line}:${this.print(value, indent + 1, place)}`;
    }
    const key = this.print(name, indent, 'name').slice(1);
    return `${key}${name.alias === undefined ? '' : ' '}:${this.print(value, indent + 1, place)}`;
  }
}

function write({ text, style }: Scalar, pad: string, place: 'block' | 'flow' | 'name'): string {
  if (style === 'double') return JSON.stringify(text);
  if (style === 'single') return `'${text.replaceAll("'", "''").replaceAll(/[\n\r]/g, `\n${pad}  `)}'`;
  if (style === 'plain') return text.replaceAll('\n', `\n${pad}  `);
  if (place !== 'block') return JSON.stringify(text);
  const chomping = ['', '-', '+'][text.length % 3];
  return `${style === 'literal' ? '|' : '>'}${chomping}\n${text.replaceAll(/^(?=.)/gm, pad || ' ')}`;
}

const outer: Dress = { tag: '', anchored: false, flow: false, explicit: false, comment: false };

/** Mappings as YAML with every habit of its version 1.1; some of it is broken. */
export const documents: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.tuple(name, node), { minLength: 1, maxLength: 6 }),
    fc.constantFrom('', '\n', '---\n', '%YAML 1.2\n---\n'),
  )
  .map(([mapping, head]) => `${head}${new Printer().print({ mapping, ...outer }, 0, 'block').slice(1)}`);
