import type { RefObject } from 'preact';

interface Props {
  box: RefObject<HTMLDivElement | null>;
  lines: number;
  /** what is said of the text: the lines that it names are marked */
  texts: readonly string[];
}

const named = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => [...text.matchAll(/\bline (\d+)/gi)].map(([, line]) => Number(line))));

export function LineNumbers({ box, lines, texts }: Props) {
  const bad = named(texts);
  return (
    <div ref={box} class="code-numbers" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class={bad.has(i + 1) ? 'bad' : undefined}>
          {i + 1}
          {'\n'}
        </span>
      ))}
    </div>
  );
}
