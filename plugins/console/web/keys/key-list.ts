import { t } from '@tapline/console-kit/texts';
import { signal } from '@preact/signals';
import { focusOn, moveRow, moveTab, press, rowHere, tickRow } from './move.ts';

/** What is open above the page. */
export const opened = signal<'palette' | 'help' | null>(null);

interface Key {
  /** as `KeyboardEvent.key` has them */
  keys: readonly string[];
  shown: string;
  does: string;
  /** with Ctrl, or Cmd on a Mac; the others are single keys */
  control?: boolean;
  /** it belongs to where the focus is and so is no single key of the whole page */
  local?: boolean;
  /** whether there was something to do */
  act: () => boolean;
}

const open = (what: 'palette' | 'help') => () => {
  opened.value = what;
  return true;
};

/** Every key of the whole console; the help lists them in this order. */
export const keyList: readonly Key[] = [
  {
    keys: ['k'],
    control: true,
    shown: t`Ctrl or Cmd + K`,
    does: t`Go to a page, find anything, launch something`,
    act: open('palette'),
  },
  { keys: ['?'], shown: '?', does: t`This list of keys`, act: open('help') },
  { keys: ['/'], shown: '/', does: t`Search in this list`, act: () => focusOn('input[type="search"]') },
  { keys: ['n'], shown: 'N', does: t`New one, in a list`, act: () => press('.page-head a[href$="/new"]') },
  { keys: ['e'], shown: 'E', does: t`Edit what is shown`, act: () => press('.page-head a[href$="/edit"]') },
  { keys: ['j'], shown: 'J', does: t`Next row of the list`, act: () => moveRow(1) },
  { keys: ['k'], shown: 'K', does: t`Row before in the list`, act: () => moveRow(-1) },
  { keys: ['x'], shown: 'X', does: t`Select the row`, act: tickRow },
  { keys: [']'], shown: ']', does: t`Next page of the list`, act: () => press('.pager a:last-child') },
  { keys: ['['], shown: '[', does: t`Page before of the list`, act: () => press('.pager a:first-child') },
  { keys: ['ArrowDown'], shown: '↓', does: t`Next row, in a list`, local: true, act: () => !!rowHere() && moveRow(1) },
  {
    keys: ['ArrowUp'],
    shown: '↑',
    does: t`Row before, in a list`,
    local: true,
    act: () => !!rowHere() && moveRow(-1),
  },
  { keys: ['ArrowRight'], shown: '→', does: t`Next tab, among tabs`, local: true, act: () => moveTab(1) },
  { keys: ['ArrowLeft'], shown: '←', does: t`Tab before, among tabs`, local: true, act: () => moveTab(-1) },
];

/** What the parts of pages that have keys of their own listen to themselves, while the focus is in them. */
export const otherKeys: readonly Pick<Key, 'shown' | 'does'>[] = [
  { shown: t`Home, End`, does: t`First and last line, in an output; first and last node, in a graph` },
  { shown: '← → ↑ ↓', does: t`Along the links and among the nodes beside, in a graph` },
  { shown: t`Enter`, does: t`Open the node, in a graph` },
  { shown: t`Insert`, does: t`Add a node after this one, in a graph that you may change` },
  { shown: 'L', does: t`Link the node to another, in a graph that you may change` },
  { shown: 'E', does: t`Edit the node, in a graph that you may change` },
  { shown: t`Delete`, does: t`Remove the node, in a graph that you may change` },
];
