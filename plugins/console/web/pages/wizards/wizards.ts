import { get, type Page, t } from '@tapline/console-kit';

interface Step {
  title: string;
  why: string;
  /** where it is done */
  to: string;
  label: string;
  /** whether it is done already; null where nobody can tell */
  done: () => Promise<boolean | null>;
}

export interface Wizard {
  title: string;
  why: string;
  steps: readonly Step[];
}

const count = async (path: string): Promise<number> => (await get<Page<unknown>>(path, { quiet: true })).count;
/** A list that belongs to a plugin: it is not there while that is off. */
const any = (path: string) => () =>
  count(path).then(
    (found) => found > 0,
    () => false,
  );
const setting = (category: string, name: string) => () =>
  get<Record<string, unknown>>(`settings/${category}/`, { quiet: true }).then(
    (values) => Boolean(values[name]),
    () => false,
  );
const pluginOn = (id: string) => () =>
  get<{ state: string }>(`plugins/${id}/`, { quiet: true }).then(
    ({ state }) => state === 'on',
    () => false,
  );

const pluginStep = (id: string, what: string): Step => ({
  title: t`Switch on the plugin ${id}`,
  why: t`${what} Whoever runs the service adds ${id} to TAPLINE_PLUGINS and starts it again.`,
  to: '/plugins',
  label: t`See the plugins`,
  done: pluginOn(id),
});

/** Short guides, by the last part of their address; recommendations lead to them. */
export const wizards: Readonly<Record<string, Wizard>> = {
  compliance: {
    title: t`Look at playbooks before they run`,
    why: t`A scanner reads a playbook before each launch and can stop it; a policy decides who may launch what.`,
    steps: [
      pluginStep('scanning', t`It brings scanners.`),
      {
        title: t`Add a scanner`,
        why: t`Begin with one that only warns: see what it finds before it stops anybody.`,
        to: '/scanners',
        label: t`Scanners`,
        done: any('scanners/?enabled=true&page_size=1'),
      },
      pluginStep('policy', t`It brings policies.`),
      {
        title: t`Write a policy`,
        why: t`It too may only warn at first.`,
        to: '/policies',
        label: t`Policies`,
        done: any('policies/?enabled=true&page_size=1'),
      },
      {
        title: t`See what gates say of a launch`,
        why: t`Each job keeps what it was decided with, and what plugins did is kept for a week.`,
        to: '/hooks',
        label: t`Hooks and traces`,
        done: any('hooks/traces/?page_size=1'),
      },
    ],
  },
  tenancy: {
    title: t`Give each organization its own limits`,
    why: t`Several organizations share this service: quotas keep one from using up what the others need.`,
    steps: [
      {
        title: t`Make an organization for each of them`,
        why: t`People, inventories and credentials belong to one.`,
        to: '/organizations',
        label: t`Organizations`,
        done: () => count('organizations/?page_size=1').then((found) => found > 1),
      },
      pluginStep('tenancy', t`It brings tenants and quotas.`),
      {
        title: t`Set quotas`,
        why: t`How many jobs at once, launches a day, hosts and megabytes each may have.`,
        to: '/tenants',
        label: t`Tenants`,
        done: any('tenants/?page_size=1'),
      },
      {
        title: t`Limit the hosts of an organization`,
        why: t`This works without any plugin: the field Max hosts of an organization.`,
        to: '/organizations',
        label: t`Organizations`,
        done: any('organizations/?max_hosts__gt=0&page_size=1'),
      },
    ],
  },
  observability: {
    title: t`See from outside how the service fares`,
    why: t`Figures and traces show what is slow and what fails before people ask.`,
    steps: [
      {
        title: t`Read its figures`,
        why: t`A Prometheus reads /api/v2/metrics/ with a token; without one where the setting allows that.`,
        to: '/tokens/new?description=Prometheus&scope=read',
        label: t`Make a token that only reads`,
        done: any('tokens/?scope=read&page_size=1'),
      },
      pluginStep('observability', t`It sends traces to an OpenTelemetry collector.`),
      {
        title: t`Send logs to where yours are`,
        why: t`In the settings: host, port and kind of what collects them.`,
        to: '/settings/logging',
        label: t`Settings: Logging`,
        done: setting('logging', 'LOG_AGGREGATOR_HOST'),
      },
      {
        title: t`Look whether the service itself is well`,
        why: t`What is missing or unsafe, and how to mend it.`,
        to: '/system',
        label: t`System state`,
        done: () => Promise.resolve(null),
      },
    ],
  },
};
