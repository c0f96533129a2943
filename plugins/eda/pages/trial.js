import { CodeField, post, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';
import { Judged } from './judged.js';

const pauseMs = 400;

/**
 * What the conditions say of a sample, and of the latest events, while they are typed. Nothing is written. `at` and `more` are where
 * that is asked and with what: of a rule, or of one that is not made yet.
 */
export function Trial({ at, more = {}, conditions }) {
  const payload = useSignal('{}');
  const headers = useSignal('{}');
  const told = useSignal(null);
  const problem = useSignal('');
  const draft = JSON.stringify([conditions, more]);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const look = async () => {
      const body = { ...more, payload: JSON.parse(payload.value), headers: JSON.parse(headers.value), conditions };
      const sample = await post(`${at}test/`, body, { signal });
      const latest = await post(`${at}backtest/`, { ...more, conditions, last: 100 }, { signal });
      if (!signal.aborted) [told.value, problem.value] = [{ sample, latest }, ''];
    };
    const timer = setTimeout(
      () => void look().catch((error) => void (!signal.aborted && (problem.value = said(error)))),
      pauseMs,
    );
    return () => {
      // it is judged in a sandbox that has few places
      stop.abort();
      clearTimeout(timer);
    };
  }, [draft, payload.value, headers.value]);
  const sample = (label, name, text) =>
    h(CodeField, { label, name, language: 'json', value: text.value, onValue: (typed) => void (text.value = typed) });
  return h(
    'section',
    { class: 'card', 'aria-label': t`Try the conditions` },
    h('h2', null, t`Try the conditions`),
    sample(t`Sample payload`, 'sample_payload', payload),
    sample(t`Sample headers`, 'sample_headers', headers),
    h(
      'div',
      { role: 'status' },
      problem.value ? h('p', { class: 'error' }, problem.value) : told.value && h(Verdict, told.value),
    ),
  );
}

const said = (error) =>
  error instanceof SyntaxError
    ? t`The sample is no JSON: ${error.message}`
    : [error.body?.conditions ?? error.message].flat().join(' ');

function Verdict({ sample, latest }) {
  const { conditions_matched: matched, condition_results: results, throttled, actions } = sample;
  return [
    h('p', null, h('strong', null, matched ? t`The sample matches.` : t`The sample does not match.`)),
    h(Judged, { results }),
    throttled && h('p', null, t`It would wait: the rule fired within its throttle.`),
    matched &&
      actions &&
      h(
        'ul',
        null,
        actions.map(({ action_type: type, target_name: name, would_run: runs, problem }, index) =>
          h(
            'li',
            { key: index },
            `${type} ${name ?? ''}: ${runs ? t`would be done` : problem || t`would not be done`}`,
          ),
        ),
      ),
    h(
      'p',
      null,
      latest.count
        ? t`Of the latest ${latest.count} events these conditions match ${latest.matched}.`
        : t`No event has come in yet.`,
    ),
  ];
}
