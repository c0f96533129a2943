import { t } from '../texts/t.ts';
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Notice } from './notice.tsx';
import { Loading } from './page.tsx';

/** A part whose code is loaded when somebody first sees it: the first page must not wait for it. */
export function lazily<Props extends object>(
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const part = signal<ComponentType<Props> | null>(null);
  const problem = signal('');
  const begin = () =>
    load().then(
      (found) => void (part.value = found),
      (error: Error) => void (problem.value = error.message),
    );
  return (props: Props) => {
    useEffect(() => void (part.peek() === null && begin()), []);
    const Part = part.value;
    if (Part) return <Part {...props} />;
    if (!problem.value) return <Loading what={what} />;
    return (
      <Notice tone="bad" title={t`The code of ${what} could not be loaded`} alert>
        <p>{problem.value}</p>
        <button type="button" onClick={() => location.reload()}>{t`Load the console again`}</button>
      </Notice>
    );
  };
}
