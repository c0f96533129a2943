import { get, type Page } from '@tapline/console-kit';

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
  title: `Switch on the plugin ${id}`,
  why: `${what} Whoever runs the service adds ${id} to TAPLINE_PLUGINS and starts it again.`,
  to: '/plugins',
  label: 'See the plugins',
  done: pluginOn(id),
});

/** Short guides, by the last part of their address; recommendations lead to them. */
export const wizards: Readonly<Record<string, Wizard>> = {
  compliance: {
    title: 'Look at playbooks before they run',
    why: 'A scanner reads a playbook before each launch and can stop it; a policy decides who may launch what.',
    steps: [
      pluginStep('scanning', 'It brings scanners.'),
      {
        title: 'Add a scanner',
        why: 'Begin with one that only warns: see what it finds before it stops anybody.',
        to: '/scanners',
        label: 'Scanners',
        done: any('scanners/?enabled=true&page_size=1'),
      },
      pluginStep('policy', 'It brings policies.'),
      {
        title: 'Write a policy',
        why: 'It too may only warn at first.',
        to: '/policies',
        label: 'Policies',
        done: any('policies/?enabled=true&page_size=1'),
      },
      {
        title: 'See what gates say of a launch',
        why: 'Each job keeps what it was decided with, and what plugins did is kept for a week.',
        to: '/hooks',
        label: 'Hooks and traces',
        done: any('hooks/traces/?page_size=1'),
      },
    ],
  },
  tenancy: {
    title: 'Give each organization its own limits',
    why: 'Several organizations share this service: quotas keep one from using up what the others need.',
    steps: [
      {
        title: 'Make an organization for each of them',
        why: 'People, inventories and credentials belong to one.',
        to: '/organizations',
        label: 'Organizations',
        done: () => count('organizations/?page_size=1').then((found) => found > 1),
      },
      pluginStep('tenancy', 'It brings tenants and quotas.'),
      {
        title: 'Set quotas',
        why: 'How many jobs at once, launches a day, hosts and megabytes each may have.',
        to: '/tenants',
        label: 'Tenants',
        done: any('tenants/?page_size=1'),
      },
      {
        title: 'Limit the hosts of an organization',
        why: 'This works without any plugin: the field Max hosts of an organization.',
        to: '/organizations',
        label: 'Organizations',
        done: any('organizations/?max_hosts__gt=0&page_size=1'),
      },
    ],
  },
  observability: {
    title: 'See from outside how the service fares',
    why: 'Figures and traces show what is slow and what fails before people ask.',
    steps: [
      {
        title: 'Read its figures',
        why: 'A Prometheus reads /api/v2/metrics/ with a token; without one where the setting allows that.',
        to: '/tokens/new?description=Prometheus&scope=read',
        label: 'Make a token that only reads',
        done: any('tokens/?scope=read&page_size=1'),
      },
      pluginStep('observability', 'It sends traces to an OpenTelemetry collector.'),
      {
        title: 'Send logs to where yours are',
        why: 'In the settings: host, port and kind of what collects them.',
        to: '/settings/logging',
        label: 'Settings: Logging',
        done: setting('logging', 'LOG_AGGREGATOR_HOST'),
      },
      {
        title: 'Look whether the service itself is well',
        why: 'What is missing or unsafe, and how to mend it.',
        to: '/system',
        label: 'System state',
        done: () => Promise.resolve(null),
      },
    ],
  },
};
