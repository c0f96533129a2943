import type { SavedCheck } from '../runs/saved-prompts/check.ts';

/** The prompts of schedules: nobody is there to add to them. */
export const savedOfSchedule: SavedCheck = {
  saved: { table: 'schedules', lists: 'schedule', key: 'schedule_id' },
  origin: 'schedule',
  ahead: 'whole',
};
