import { t } from '../texts/t.ts';

interface Props {
  /** what is compared, for those who do not see it */
  label: string;
  before: string;
  after: string;
}

interface Line {
  sign: ' ' | '-' | '+';
  text: string;
}

const words = { ' ': '', '-': t`removed: `, '+': t`added: ` } as const;
const tones = { ' ': undefined, '-': 'removed', '+': 'added' } as const;
/** Beyond it, what differs in the middle is shown as a whole: the table of common lines grows with the square. */
const most = 2000;

/** Two texts line by line: what was taken away, what came, what stayed. */
export const Diff = ({ label, before, after }: Props) => (
  <ol class="diff" aria-label={label}>
    {linesOf(before, after).map(({ sign, text }, i) => (
      <li key={i} class={tones[sign]}>
        <span aria-hidden="true">{sign} </span>
        {words[sign] && <span class="visually-hidden">{words[sign]}</span>}
        {text}
      </li>
    ))}
  </ol>
);

function linesOf(before: string, after: string): Line[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (texts: readonly string[]) => texts.map((text): Line => ({ sign: ' ', text }));
  return [
    ...same(a.slice(0, start)),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

/** By the longest lines in common. */
function between(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > most ** 2) return [...gone(a), ...come(b)];
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i++]! });
      j += 1;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push({ sign: '-', text: a[i++]! });
    else lines.push({ sign: '+', text: b[j++]! });
  }
  return [...lines, ...gone(a.slice(i)), ...come(b.slice(j))];
}

const gone = (texts: readonly string[]) => texts.map((text): Line => ({ sign: '-', text }));
const come = (texts: readonly string[]) => texts.map((text): Line => ({ sign: '+', text }));
