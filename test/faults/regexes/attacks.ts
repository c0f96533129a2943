import { type AST, RegExpParser } from '@eslint-community/regexpp';

type Text = (size: number) => string;

/**
 * Texts that make a pattern work hard if any do: what it begins with, over and over, and each of its repetitions after what
 * stands before it, over and over; none of them matches in the end.
 */
export function attacksOn(regex: RegExp): Text[] {
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(regex.source, 0, undefined, {
    unicode: regex.unicode,
    unicodeSets: regex.unicodeSets,
  });
  const flags = regex.flags.replace(/[gy]/g, '');
  const attacks: Text[] = [];
  const repeat = (before: string, piece: string) => {
    if (piece) attacks.push((size) => before + piece.repeat(Math.ceil(size / piece.length)) + '\0');
  };
  const visit = (alternatives: readonly AST.Alternative[], before: string): void => {
    for (const { elements } of alternatives) {
      let prefix = before;
      for (const element of elements) {
        if (element.type === 'Quantifier') {
          repeat(prefix, sampleOf(element.element, flags));
          // two repetitions that share characters, and the whole beginning again and again
          repeat(prefix, `${sampleOf(element.element, flags)} `);
        }
        visit(inside(element), prefix);
        prefix += sampleOf(element, flags);
        repeat('', prefix);
      }
    }
  };
  visit(pattern.alternatives, '');
  return attacks;
}

function inside(element: AST.Element): readonly AST.Alternative[] {
  if (element.type === 'Quantifier') return inside(element.element);
  return element.type === 'Group' || element.type === 'CapturingGroup' || element.type === 'Assertion'
    ? 'alternatives' in element
      ? element.alternatives
      : []
    : [];
}

const common = [...`a1 \n/._-:x'"[](){}%=+@,;\\$*0\t`];

/** A text that the element matches, not too short a one where it repeats. */
function sampleOf(element: AST.Element, flags: string): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass': {
      const one = new RegExp(`^${element.raw}$`, flags);
      return common.find((character) => one.test(character)) ?? '';
    }
    case 'Group':
    case 'CapturingGroup':
      return (element.alternatives[0]?.elements ?? []).map((part) => sampleOf(part, flags)).join('');
    case 'Quantifier':
      return sampleOf(element.element, flags).repeat(Math.min(Math.max(element.min, 1), element.max, 20));
    default:
      return '';
  }
}
