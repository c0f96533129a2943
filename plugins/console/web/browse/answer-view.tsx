import { t } from '@tapline/console-kit';
import type { Answer } from './ask.ts';
import { JsonView } from './json-view.tsx';

/** Headers that say something to a person; the rest is the same everywhere. */
const telling =
  /^(?:allow|content-type|location|retry-after|deprecation|sunset|link|ratelimit|x-api-|x-request-id|warning)/;

export function AnswerView({ answer }: { answer: Answer }) {
  const { method, path, status, statusText, headers, body, text, milliseconds } = answer;
  const told = headers.filter(([name]) => telling.test(name));
  return (
    <section aria-label={t`Answer`} aria-live="polite" class="answer">
      <p class="request">
        <code>
          <strong>{method}</strong> {path}
        </code>{' '}
        <a href={withFormat(path)}>{t`as plain JSON`}</a>
      </p>
      <p class={status === 0 || status >= 400 ? 'status bad' : 'status good'}>
        {status === 0 ? t`No answer` : `HTTP ${status} ${statusText}`.trim()}
        <span class="muted"> {t`in ${Math.round(milliseconds)} ms`}</span>
      </p>
      <dl class="headers">
        {told.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {body === undefined ? <PlainText text={text} /> : <JsonView value={body} label={t`What was answered`} />}
    </section>
  );
}

const PlainText = ({ text }: { text: string }) =>
  text === '' ? (
    <p class="muted">{t`The answer has no body.`}</p>
  ) : (
    <pre tabIndex={0} role="region" aria-label={t`What was answered`}>
      {text}
    </pre>
  );

function withFormat(path: string): string {
  const [at = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('format', 'json');
  return `${at}?${parameters}`;
}
