import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Field, type FieldProps } from '../components/field.tsx';
import { indented } from './indented.ts';
import type { Language } from './language.ts';
import { LineNumbers } from './line-numbers.tsx';
import { Painted } from './painted.tsx';
import { usePaint } from './use-paint.ts';

interface Props extends FieldProps {
  value: string;
  onValue: (value: string) => void;
  language: Language;
  placeholder?: string;
}

const fewest = 6;
const most = 24;
const pauseMs = 300;

/** A text of many lines with their numbers, in colours, looked through while it is typed. Tab leaves it, as any field. */
export function CodeField({ value, onValue, language, placeholder, ...field }: Props) {
  const numbers = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLPreElement>(null);
  const caret = useSignal<number | null>(null);
  const problem = useProblem(value, language);
  const paint = usePaint(value, language, caret.value);
  const lines = value.split('\n').length;
  const rows = Math.min(most, Math.max(fewest, lines + 1));
  const look = ({ currentTarget: { selectionStart, selectionEnd } }: { currentTarget: HTMLTextAreaElement }) =>
    void (caret.value = selectionStart === selectionEnd ? selectionStart : null);
  return (
    <div class="code-field">
      <Field {...field}>
        {(wiring) => (
          <div class="code-editor">
            <LineNumbers box={numbers} lines={Math.max(lines, rows)} texts={[problem, ...(field.errors ?? [])]} />
            <div class={paint ? 'code-text painted' : 'code-text'}>
              {paint && <Painted {...paint} layer={layer} />}
              <textarea
                {...wiring}
                class="code"
                rows={rows}
                wrap="off"
                spellcheck={false}
                autocomplete="off"
                placeholder={placeholder}
                value={value}
                onInput={(event) => {
                  onValue(event.currentTarget.value);
                  look(event);
                }}
                onKeyDown={indented}
                onSelect={look}
                onKeyUp={look}
                onClick={look}
                onBlur={() => void (caret.value = null)}
                onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => {
                  if (numbers.current) numbers.current.scrollTop = scrollTop;
                  layer.current?.scrollTo(scrollLeft, scrollTop);
                }}
              />
            </div>
          </div>
        )}
      </Field>
      <p class="code-problem" role="status">
        {problem}
      </p>
    </div>
  );
}

/** What is wrong with the text by now; the code that knows comes when somebody types. */
function useProblem(value: string, language: Language): string {
  const problem = useSignal('');
  const first = useRef(value);
  useEffect(() => {
    if (value === first.current && problem.peek() === '') return;
    let late = false;
    const timer = setTimeout(() => {
      const check = import('./check-code.ts').then(({ checkCode }) => checkCode(value, language));
      void check.then((found) => void (!late && (problem.value = found))).catch(() => undefined);
    }, pauseMs);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [value, language]);
  return problem.value;
}
