import { expect } from 'chai';
import { containedJson } from '../../core/descriptors/read/document-path.ts';
import { type Expression, parseExpression } from '../../core/descriptors/read/expression.ts';

/** `a=1 & !(b=2)` as a text that shows what binds to what. */
const show = (expression: Expression): string =>
  expression.is === 'atom'
    ? `${expression.not ? '!' : ''}${expression.key}=${expression.quoted ? `'${expression.value}'` : expression.value}`
    : `(${expression.parts.map(show).join(expression.is === 'and' ? ' & ' : ' | ')})`;

const read = (text: string) => show(parseExpression(text));

function complaintAbout(text: string): string {
  try {
    parseExpression(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`${text} was taken`);
}

describe('expressions of filters', () => {
  for (const [text, meaning] of [
    ['name=a', 'name=a'],
    ['  name = a  ', 'name=a'],
    ['a=1 or b=2 and c=3', '(a=1 | (b=2 & c=3))'],
    ['(a=1 or b=2) and c=3', '((a=1 | b=2) & c=3)'],
    ['not a=1 and b=2', '(!a=1 & b=2)'],
    ['not (a=1 or b=2 and c=3)', '(!a=1 & (!b=2 | !c=3))'],
    ['not not a=1', 'a=1'],
    ['"a b"="c (d) = e"', "a b='c (d) = e'"],
    ['a=and and b=or', '(a=and & b=or)'],
    ['a= and b=2', "(a='' & b=2)"],
    ['(a=)', "a=''"],
    ['not=1 and and=2', '(not=1 & and=2)'],
    ['groups__name="ünï \' code"', "groups__name='ünï ' code'"],
  ])
    it(`reads ${text}`, () => expect(read(text!)).to.equal(meaning));

  for (const [text, complaint] of [
    ['', /at character 1: expected key=value/],
    ['name', /at character 5: expected = after name/],
    ['a=1 b=2', /at character 5: expected and, or/],
    ['a=1 and', /at character 8: expected key=value/],
    ['(a=1', /at character 1: this \( is never closed/],
    ['a=1)', /at character 4: \( is missing/],
    ['a="x', /at character 3: the quotation has no end/],
    ['=1', /at character 1: expected key=value/],
    ['a=1 AND b=2', /at character 5: expected and, or/],
    ['a=\0', /cannot be stored/],
    [`${'('.repeat(30)}a=1${')'.repeat(30)}`, /more than 20 levels/],
    [`${'not '.repeat(30)}a=1`, /more than 20 levels/],
    [Array.from({ length: 300 }, () => 'a=1').join(' or '), /more than 200 conditions/],
    ['a='.padEnd(20_000, 'x'), /longer than 16384 characters/],
  ] as const)
    it(`says where ${JSON.stringify(text).slice(0, 30)} is wrong`, () =>
      expect(complaintAbout(text)).to.match(complaint));

  for (const [path, value, quoted, json] of [
    ['a', 'x', false, { a: 'x' }],
    ['a__b', '1', false, { a: { b: 1 } }],
    ['a__b', '1', true, { a: { b: '1' } }],
    ['a__exact', 'true', false, { a: true }],
    ['a[]', '1.50', false, { a: [1.5] }],
    ['a[]__b__c[]', 'null', false, { a: [{ b: { c: [null] } }] }],
    ['a', '007', false, { a: 7 }],
    ['a', '1.2.3', false, { a: '1.2.3' }],
    ['exact', 'x', false, { exact: 'x' }],
    ['__proto__x', 'x', false, undefined],
  ] as const)
    it(`looks for ${path} with ${value} in documents`, () => {
      const contained = () => containedJson(path.split('__'), value, quoted);
      if (json === undefined) expect(contained).to.throw(/empty/);
      else expect(JSON.parse(contained())).to.deep.equal(json);
    });

  it('keeps every digit of a whole number', () =>
    expect(containedJson(['a'], '123456789012345678901234567890', false)).to.equal(
      '{"a":123456789012345678901234567890}',
    ));

  for (const lookup of ['icontains', 'gt', 'in', 'isnull', 'regex', 'search'])
    it(`refuses ${lookup} on documents`, () =>
      expect(() => containedJson(['a', lookup], 'x', false)).to.throw(new RegExp(`${lookup} does not work on facts`)));
});
