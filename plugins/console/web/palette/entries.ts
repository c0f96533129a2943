import { go, toast, t } from '@tapline/console-kit';
import { beforeLeaving, logOut, matchRoute, pluginPagesAt } from '@tapline/console-kit/shell';
import { navigation } from '../api/navigation.ts';
import { opened } from '../keys/key-list.ts';
import { setTheme, themes } from '../theme/theme.ts';
import { routes } from '../routes.ts';
import { resources } from '../resources/registry.ts';
import type { Entry } from './entry.ts';

/** Pages of the menu; what a plugin serves outside the console is a page of its own. */
export const pages = (): Entry[] =>
  navigation.value
    .filter(({ path, served }) => served || pluginPagesAt(path) || matchRoute(routes, path))
    .map(({ path, label, served }) => ({
      id: `page ${path}`,
      group: 'pages',
      label,
      kind: t`Page`,
      act: () => (served && !pluginPagesAt(path) ? location.assign(path) : go(path)),
    }));

const leave = () => logOut().catch((error: Error) => toast(t`Logging out failed: ${error.message}`, 'bad'));

/** What can be done from anywhere. Whether somebody may create a thing, its form says. */
export const actions = (): Entry[] => [
  ...resources
    .filter(({ path, readOnly }) => !readOnly && navigation.value.some((entry) => entry.path === `/${path}`))
    .map(({ path, one }): Entry => ({
      id: `new ${path}`,
      group: 'actions',
      label: t`New ${one}`,
      act: () => go(`/${path}/new`),
    })),
  ...themes.map(({ value, label }): Entry => ({
    id: `theme ${value}`,
    group: 'actions',
    label: t`Colours: ${label}`,
    act: () => setTheme(value),
  })),
  { id: 'keys', group: 'actions', label: t`Show the keys`, act: () => setTimeout(() => void (opened.value = 'help')) },
  { id: 'log out', group: 'actions', label: t`Log out`, act: () => beforeLeaving(() => void leave()) },
];
