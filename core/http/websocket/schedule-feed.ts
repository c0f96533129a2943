import type { BusMessages } from '../../queue/bus.ts';
import type { Log } from '../../observe/log.ts';
import type { Audience } from './client.ts';
import { type CanSee, sendToWitnesses } from './witnesses.ts';

const group = 'schedules-changed';

/** Tells those who see a schedule that it changed, or was launched. */
export function createScheduleFeed({ log, audience, canSee }: { log: Log; audience: Audience; canSee: CanSee }) {
  async function pass(schedule: number): Promise<void> {
    const text = JSON.stringify({ group_name: 'schedules', id: schedule, schedule_id: schedule });
    await sendToWitnesses(audience.listeners(group), canSee, { kind: 'schedule', id: schedule }, text);
  }

  return {
    notice({ schedules }: BusMessages['schedules']): void {
      if (!audience.listeners(group)) return;
      for (const schedule of schedules)
        pass(schedule).catch((err) => log.warn({ err, schedule }, 'a change could not be told to listeners'));
    },
  };
}
