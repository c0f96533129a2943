import { shown, Status, t } from '@tapline/console-kit';
import { type Plugin, problemOf, usePlugins } from '../../api/plugins.ts';

/** They may not be seen, or this version of the service does not tell of them. */
const untold = new Set([403, 404]);

/** On the overview only what needs somebody's attention; nothing where plugins may not be seen. */
export function PluginHealth() {
  const query = usePlugins();
  const [found, error] = [query.data.value, query.error.value];
  if (error ? untold.has(error.status) : !found?.count) return null;
  return (
    <section aria-labelledby="plugins-title">
      <h2 id="plugins-title">{t`Plugins`}</h2>
      {shown(query, { what: t`list of plugins` }, ({ count, results }) => (
        <Healths plugins={results} count={count} />
      ))}
    </section>
  );
}

function Healths({ plugins, count }: { plugins: readonly Plugin[]; count: number }) {
  const unwell = plugins.flatMap((plugin) => {
    const problem = problemOf(plugin);
    return problem ? [{ plugin, problem }] : [];
  });
  if (!unwell.length)
    return (
      <p>
        <Status status="ok" /> {t`All ${count} are well.`} <a href="/plugins">{t`See them`}</a>
      </p>
    );
  return (
    <ul class="plain">
      {unwell.map(({ plugin, problem }) => (
        <li key={plugin.id}>
          <Status status={problem.status} /> <a href="/plugins">{plugin.title}</a> {problem.detail}
        </li>
      ))}
    </ul>
  );
}
