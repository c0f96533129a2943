import type { Resource } from '@tapline/console-kit';
import { t } from '@tapline/console-kit/texts';
import { exportLink } from './export-link.tsx';

export const activity: Resource = {
  path: 'activity',
  api: 'activity_stream',
  type: 'activity_stream',
  one: t`entry`,
  many: t`activity`,
  intro: t`What was changed, by whom, newest first.`,
  order: '-timestamp',
  nameField: 'operation',
  columns: ['operation', 'object1', 'object2', 'actor', 'timestamp', 'changes'],
  facts: ['operation', 'actor', 'timestamp', 'object1', 'object2', 'changes'],
  filters: ['operation', 'object1', 'object2', 'actor', 'timestamp'],
  readOnly: true,
  listActions: exportLink('activity_stream', '-timestamp'),
};
