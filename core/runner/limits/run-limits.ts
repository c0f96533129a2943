import type { Settings } from '../../settings/settings.ts';
import type { GroupLimits } from './cgroup.ts';
import type { CheckoutLimits } from '../checkout/checkout-budget.ts';

/** What a run may take; 0 = no limit. */
export interface RunLimits {
  checkout: CheckoutLimits;
  /** by the names that wrapper.py knows */
  wrapper: Record<'stdout' | 'events' | 'processes' | 'memory' | 'file' | 'files', number>;
  /** all of its processes together, where there are control groups */
  group: GroupLimits;
}

const none: RunLimits = {
  checkout: { bytes: 0, files: 0 },
  wrapper: { stdout: 0, events: 0, processes: 0, memory: 0, file: 0, files: 0 },
  group: { memory: 0, processes: 0 },
};

export function runLimits(settings: Settings | undefined): RunLimits {
  if (!settings) return none;
  return {
    checkout: { bytes: settings.get('CHECKOUT_MAX_BYTES'), files: settings.get('CHECKOUT_MAX_FILES') },
    wrapper: {
      stdout: settings.get('RUN_MAX_OUTPUT_BYTES'),
      events: settings.get('RUN_MAX_EVENT_BYTES'),
      processes: settings.get('ENGINE_MAX_PROCESSES'),
      memory: settings.get('ENGINE_MAX_MEMORY_BYTES'),
      file: settings.get('ENGINE_MAX_FILE_BYTES'),
      files: settings.get('ENGINE_MAX_OPEN_FILES'),
    },
    group: { memory: settings.get('RUN_MAX_MEMORY_BYTES'), processes: settings.get('ENGINE_MAX_PROCESSES') },
  };
}
