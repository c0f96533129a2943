import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Field, type FieldProps } from '../components/field.tsx';
import type { Language } from './check-code.ts';

interface Props extends FieldProps {
  value: string;
  onValue: (value: string) => void;
  language: Language;
  placeholder?: string;
}

const fewest = 6;
const most = 24;
const pauseMs = 300;

/** A text of many lines with their numbers, looked through while it is typed. Tab leaves it, as any field. */
export function CodeField({ value, onValue, language, placeholder, ...field }: Props) {
  const numbers = useRef<HTMLDivElement>(null);
  const problem = useProblem(value, language);
  const lines = value.split('\n').length;
  const rows = Math.min(most, Math.max(fewest, lines + 1));
  return (
    <div class="code-field">
      <Field {...field}>
        {(wiring) => (
          <div class="code-editor">
            <div ref={numbers} class="code-numbers" aria-hidden="true">
              {Array.from({ length: Math.max(lines, rows) }, (_, i) => i + 1).join('\n')}
            </div>
            <textarea
              {...wiring}
              class="code"
              rows={rows}
              wrap="off"
              spellcheck={false}
              autocomplete="off"
              placeholder={placeholder}
              value={value}
              onInput={(event) => onValue(event.currentTarget.value)}
              onScroll={(event) => {
                if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
              }}
            />
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
