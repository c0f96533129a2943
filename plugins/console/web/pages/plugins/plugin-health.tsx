import { Status, t } from '@tapline/console-kit';
import { problemOf, usePlugins } from '../../api/plugins.ts';

/** On the overview only what needs somebody's attention; nothing where plugins may not be seen. */
export function PluginHealth() {
  const { data } = usePlugins();
  if (!data.value || data.value.count === 0) return null;
  const unwell = data.value.results.flatMap((plugin) => {
    const problem = problemOf(plugin);
    return problem ? [{ plugin, problem }] : [];
  });
  return (
    <section aria-labelledby="plugins-title">
      <h2 id="plugins-title">{t`Plugins`}</h2>
      {unwell.length === 0 ? (
        <p>
          <Status status="ok" /> {t`All ${data.value.count} are well.`} <a href="/plugins">{t`See them`}</a>
        </p>
      ) : (
        <ul class="plain">
          {unwell.map(({ plugin, problem }) => (
            <li key={plugin.id}>
              <Status status={problem.status} /> <a href="/plugins">{plugin.title}</a> {problem.detail}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
