import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Notice, place, t } from '@tapline/console-kit';
import { ansiSpans } from './ansi.ts';
import type { Output } from './use-output.ts';

/** Every line has the same height, in pixels as the style sheet has it: so a place in the text is a place on the screen. */
const lineHeight = 20;
/** Drawn beyond what is seen. */
const margin = 30;

interface Props {
  output: Output;
  /** output is still coming */
  live: boolean;
  /** a line to show, counted from 0 */
  target: number | null;
  download: string;
  /** what is looked for: marked wherever it is in sight */
  find?: string;
  /** in the bar above the lines */
  tools?: ComponentChildren;
}

export function OutputView({ output, live, target, download, find = '', tools }: Props) {
  const { lines, failed } = output;
  const { scroller, range, following, onScroll } = useWindow(output, live, target);
  const { from, to } = range.value;
  const shown = Math.max(0, Math.min(to, lines.total) - from);
  return (
    <section class="output" aria-label={t`Output`}>
      <OutputBar
        following={following.value}
        live={live}
        total={lines.total}
        download={download}
        tools={tools}
        onFollow={() => void (following.value = !following.value)}
      />
      {failed.value && (
        <Notice tone="warn">{t`Some of the output could not be read; it is tried again when you scroll.`}</Notice>
      )}
      <div
        ref={scroller}
        class="output-scroll"
        tabIndex={0}
        role="region"
        aria-label={t`Lines of the output`}
        onScroll={onScroll}
        onKeyDown={(event) => toEnd(event, scroller.current)}
      >
        <div class="output-all" style={{ height: `${lines.total * lineHeight}px` }}>
          <ol class="output-window" style={{ transform: `translateY(${from * lineHeight}px)` }} start={from + 1}>
            {Array.from({ length: shown }, (_, i) => (
              <OutputLine
                key={from + i}
                at={from + i}
                text={lines.text(from + i)}
                marked={from + i === target}
                find={find}
              />
            ))}
          </ol>
        </div>
      </div>
    </section>
  );
}

/** At once: a browser would slide there for a while, past lines that would all be read. */
function toEnd(event: KeyboardEvent, scroller: HTMLElement | null): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (!scroller || (key !== 'End' && key !== 'Home') || altKey || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  scroller.scrollTop = key === 'End' ? scroller.scrollHeight : 0;
}

/** Which lines are drawn: those in sight and some around; the newest while following. */
function useWindow({ lines, version, need }: Output, live: boolean, target: number | null) {
  const scroller = useRef<HTMLDivElement>(null);
  const following = useSignal(live && target === null);
  const range = useSignal({ from: 0, to: 60 });
  const draws = version.value;

  const measure = () => {
    const { scrollTop = 0, clientHeight = 600 } = scroller.current ?? {};
    const from = Math.max(0, Math.floor(scrollTop / lineHeight) - margin);
    const to = Math.ceil((scrollTop + clientHeight) / lineHeight) + margin;
    if (from !== range.peek().from || to !== range.peek().to) range.value = { from, to };
  };
  const onScroll = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    // told in the next frame: what moved may be gone from the page by then
    const { scrollTop, clientHeight, scrollHeight } = currentTarget;
    if (scrollTop + clientHeight < scrollHeight - 2 * lineHeight) following.value = false;
    measure();
  };

  useLayoutEffect(() => {
    if (following.value && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
    measure();
  }, [draws, following.value]);

  const reachable = target !== null && lines.total > target;
  useEffect(() => {
    if (!reachable || !scroller.current) return;
    following.value = false;
    scroller.current.scrollTop = Math.max(0, (target - 3) * lineHeight);
    scroller.current.scrollIntoView({ block: 'nearest' });
    // whoever followed a link to the line reads on from there
    if (!document.activeElement?.closest('.output-bar')) scroller.current.focus({ preventScroll: true });
    measure();
    // every visit counts, also a second click on the same link
  }, [place.value, reachable]);

  const { from, to } = range.value;
  useEffect(() => need(from, Math.min(to, lines.total)), [from, to, draws]);
  return { scroller, range, following, onScroll };
}

/** Where a play, a task or the recap begins. */
const heading = /^(?:\x1b\[[\d;]*m)*(?:PLAY|TASK|RUNNING HANDLER|PLAY RECAP)\b/;

interface LineProps {
  at: number;
  text: string | undefined;
  marked: boolean;
  find: string;
}

function OutputLine({ at, text, marked, find }: LineProps) {
  return (
    <li class={marked ? 'marked' : undefined} value={at + 1} aria-current={marked ? 'location' : undefined}>
      <span class="number" aria-hidden="true">
        {at + 1}
      </span>
      <code class={text !== undefined && heading.test(text) ? 'heading' : undefined}>
        {text === undefined
          ? '…'
          : ansiSpans(text).map((span, i) => (
              <span key={i} class={span.style || undefined}>
                {find ? <Found text={span.text} find={find} /> : span.text}
              </span>
            ))}
      </code>
    </li>
  );
}

/** What is looked for stands out. */
function Found({ text, find }: { text: string; find: string }) {
  const at = text.toLowerCase().indexOf(find.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + find.length)}</mark>
      <Found text={text.slice(at + find.length)} find={find} />
    </>
  );
}

interface BarProps {
  tools: ComponentChildren;
  following: boolean;
  live: boolean;
  total: number;
  download: string;
  onFollow: () => void;
}

function OutputBar({ following, live, total, download, tools, onFollow }: BarProps) {
  return (
    <div class="output-bar">
      <h2>{t`Output`}</h2>
      <span class="muted">{total === 1 ? t`1 line` : t`${total.toLocaleString('en')} lines`}</span>
      <span class="spring" />
      {tools}
      {live && <button type="button" aria-pressed={following} onClick={onFollow}>{t`Follow`}</button>}
      <a class="button" href={download} download>{t`Download`}</a>
    </div>
  );
}
