import { t } from '../texts/t.ts';
import { listTab } from './list-tab.tsx';

/** What was changed of it, by whom. */
export const historyTab = listTab({ id: 'activity_stream', label: t`History`, resource: 'activity' });
