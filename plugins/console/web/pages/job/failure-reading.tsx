import { Folded, isActive, Notice, type Run, type RunEvent, runPath, useQuery, t } from '@tapline/console-kit';
import { firstLine } from '../../output/seek.ts';
import { adviceFor } from './advice.ts';

const kinds = 'runner_on_failed,runner_on_unreachable,runner_on_async_failed';
const most = 20;
/** Their events say which host failed at what. */
const onHosts = new Set(['job', 'ad_hoc_command']);

interface Found {
  count: number;
  results: RunEvent[];
}

/** Why a run ended badly, before anybody has to read its output. */
export function FailureReading({ run, events }: { run: Run; events: string }) {
  const bad = run.status === 'failed' || run.status === 'error';
  const path =
    bad && onHosts.has(run.type) ? `${events}?event__in=${kinds}&failed=true&order_by=counter&page_size=${most}` : null;
  const { data } = useQuery<Found>(path);
  const failures = data.value?.results ?? [];
  if (!bad) return <Remark run={run} />;

  const general = adviceFor([run.job_explanation, run.result_traceback ?? ''].join('\n'));
  return (
    <section class="failure" aria-labelledby="failure-title">
      <h2 id="failure-title">{run.status === 'error' ? t`Why it could not run` : t`What failed`}</h2>
      {run.job_explanation && <p class="explanation">{run.job_explanation}</p>}
      {failures.length > 0 && (
        <ul class="failures">
          {failures.map((event) => (
            <FailedTask key={event.counter} event={event} run={run} />
          ))}
        </ul>
      )}
      {data.value && data.value.count > most && (
        <p>{t`… and ${data.value.count - most} more; they are in the output.`}</p>
      )}
      {path && data.value && failures.length === 0 && !run.job_explanation && (
        <p>{t`No task failed by itself: the last lines of the output say what happened.`}</p>
      )}
      {general && failures.length === 0 && <Advice text={general} />}
      {run.result_traceback && <Folded title={t`Details`} text={run.result_traceback} />}
    </section>
  );
}

/** What there is to say of a run that did not fail: why it waits, or who canceled it. */
function Remark({ run }: { run: Run }) {
  const waits = run.status === 'pending' ? (run.pending_reasons ?? []).map(({ explanation }) => explanation) : [];
  const text = [...new Set([run.job_explanation, ...waits])].filter(Boolean).join('\n');
  if (!text) return null;
  return (
    <Notice tone={isActive(run) ? 'info' : 'warn'} {...(waits.length ? { title: t`Why it waits` } : {})}>
      <p class="explanation">{text}</p>
    </Notice>
  );
}

function FailedTask({ event, run }: { event: RunEvent; run: Run }) {
  const message = messageOf(event);
  const advice = adviceFor(message);
  const unreachable = event.event === 'runner_on_unreachable';
  return (
    <li>
      <p class="failed-task">
        <strong>{event.host_name || event.event_data?.host || t`A host`}</strong>
        {unreachable ? t` could not be reached` : t` failed`}
        {event.task && (
          <>
            {' '}
            {t`at`} <em>{event.role ? `${event.role} : ${event.task}` : event.task}</em>
          </>
        )}
      </p>
      <pre class="message">{message}</pre>
      {advice && <Advice text={advice} />}
      <p>
        <a
          href={`${runPath(run)}?line=${firstLine(event) + 1}`}
        >{t`Show line ${firstLine(event) + 1} of the output`}</a>
      </p>
    </li>
  );
}

const Advice = ({ text }: { text: string }) => (
  <p class="advice">
    <strong>{t`What to do:`} </strong>
    {text}
  </p>
);

export function messageOf({ event_data, stdout }: RunEvent): string {
  const result = event_data?.res ?? {};
  const items: any[] = (Array.isArray(result.results) ? result.results : []).filter((item: any) => item?.failed);
  const said = items.length ? items.slice(0, 3).map((item) => `${label(item)}${textOf(item)}`) : [textOf(result)];
  const text = said.filter(Boolean).join('\n');
  return text || stdout.trim().split('\n').at(0) || t`No message.`;
}

const label = (item: any): string => (typeof item.item === 'string' ? `${item.item}: ` : '');

function textOf(result: any): string {
  const parts = [result.msg, result.stderr || result.module_stderr, result.reason];
  const texts = parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => (typeof part === 'string' ? part.trim() : JSON.stringify(part)));
  return [...new Set(texts)].join('\n');
}
