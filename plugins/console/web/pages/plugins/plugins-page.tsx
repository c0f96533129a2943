import { Failure, Loading, PageLayout, Status, t } from '@tapline/console-kit';
import { type Plugin, usePlugins } from '../../api/plugins.ts';
import { Switches } from './switches.tsx';

export function PluginsPage() {
  const { data, error, reload } = usePlugins();
  return (
    <PageLayout title={t`Plugins`} intro={t`What extends this installation, and whether it is well.`}>
      {error.value?.status === 404 ? (
        <p class="empty">{t`This version of the service does not tell about its plugins.`}</p>
      ) : (
        error.value && <Failure error={error.value} what={t`list of plugins`} again={reload} />
      )}
      {!data.value && !error.value && <Loading what={t`plugins`} />}
      {data.value?.count === 0 && <p class="empty">{t`No plugin is switched on.`}</p>}
      <ul class="cards">
        {data.value?.results.map((plugin) => (
          <PluginCard key={plugin.id} plugin={plugin} />
        ))}
      </ul>
      {data.value && <Switches plugins={data.value.results} />}
    </PageLayout>
  );
}

function PluginCard({ plugin }: { plugin: Plugin }) {
  const { title, version, description, state, reason, health, contributions } = plugin;
  return (
    <li class="card">
      <p class="card-top">
        {state === 'on' ? <Status status={health?.status ?? 'on'} /> : <Status status="failed" />}
        <span class="muted">{version}</span>
      </p>
      <h2 class="card-title">{title}</h2>
      <p>{description}</p>
      {state !== 'on' && <p class="explanation">{t`It was left out: ${reason}`}</p>}
      {health?.detail && <p class="explanation">{health.detail}</p>}
      <p class="muted sub">{contributed(contributions)}</p>
      <Contributions title={title} contributions={contributions} />
    </li>
  );
}

/** What it brings, by name. */
const Contributions = ({ title, contributions }: Pick<Plugin, 'title' | 'contributions'>) =>
  Object.keys(contributions).length ? (
    <details>
      <summary>
        {t`What it brings`}
        <span class="visually-hidden">: {title}</span>
      </summary>
      <dl>
        {Object.entries(contributions).map(([kind, { names }]) => (
          <div key={kind}>
            <dt>{kind}</dt>
            <dd>{names.join(', ')}</dd>
          </div>
        ))}
      </dl>
    </details>
  ) : null;

const words: Record<string, [one: string, many: string]> = {
  navigation: [t`menu entry`, t`menu entries`],
  extensions: [t`extended resource`, t`extended resources`],
  offers: [t`offer to others`, t`offers to others`],
};

/** `1 route, 12 offers to others`. */
const contributed = (contributions: Plugin['contributions']): string =>
  Object.entries(contributions)
    .map(([kind, { count }]) => {
      const [one, many] = words[kind] ?? [kind.replace(/s$/, ''), kind];
      return `${count} ${count === 1 ? one : many}`;
    })
    .join(', ');
