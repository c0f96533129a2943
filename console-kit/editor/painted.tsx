import type { RefObject } from 'preact';
import type { Piece } from './paint/paint.ts';

interface Props {
  pieces: readonly Piece[];
  brackets: readonly [number, number] | null;
  layer: RefObject<HTMLPreElement | null>;
}

/** The same text behind the control, in colours. */
export const Painted = ({ pieces, brackets, layer }: Props) => {
  let at = 0;
  return (
    <pre ref={layer} class="code-paint" aria-hidden="true">
      {pieces.map(([kind, text], i) => {
        const from = at;
        at += text.length;
        return (
          <span key={i} class={kind ? `is-${kind}` : undefined}>
            {marked(
              text,
              (brackets ?? []).map((bracket) => bracket - from).filter((one) => one >= 0 && one < text.length),
            )}
          </span>
        );
      })}
      {'\n'}
    </pre>
  );
};

function marked(text: string, places: readonly number[]) {
  if (!places.length) return text;
  let from = 0;
  const parts = places.flatMap((place) => {
    const before = text.slice(from, place);
    from = place + 1;
    return [before, <b class="is-bracket">{text[place]}</b>];
  });
  return [...parts, text.slice(from)];
}
