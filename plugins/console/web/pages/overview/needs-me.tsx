import { Failure, type Query, When, t } from '@tapline/console-kit';
import { useNeeds } from './use-needs.ts';

/** Who may not see a part of it is told nothing of that. */
const failed = ({ error }: Query<unknown>) => error.value !== null && error.value.status !== 403;

/** What goes on only if somebody does something. */
export function NeedsMe() {
  const all = useNeeds();
  const unread = all.map(({ query }) => query).filter(failed);
  const needs = all.flatMap(({ shown }) => shown);
  if (!needs.length && !unread.length) return null;
  const count = all.reduce((sum, one) => sum + one.count, 0);
  const rest = all.filter((one) => one.more || one.count > one.shown.length);
  return (
    <section aria-labelledby="needs-title">
      <h2 id="needs-title">
        {t`Needs somebody`}{' '}
        {count > 0 && <span class="count">{all.some(({ more }) => more) ? t`${count} or more` : count}</span>}
      </h2>
      {unread[0] && (
        <Failure
          error={unread[0].error.value!}
          what={t`list of what needs somebody`}
          again={async () => void (await Promise.all(unread.map(({ reload }) => reload())))}
        />
      )}
      {needs.length > 0 && (
        <ul class="needs">
          {needs.map(({ key, to, text, since }) => (
            <li key={key}>
              <a href={to}>{text}</a> {since && <When at={since} />}
            </li>
          ))}
          {rest.map(({ all: { to, text } }) => (
            <li key={to}>
              <a href={to}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
