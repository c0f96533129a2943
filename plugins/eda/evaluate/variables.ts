import type { RuleAction } from '../rule.ts';
import type { EventRow } from './log.ts';

/** What a run is told of its event; the names are the event's own, whatever an action says. */
export const variablesOf = (
  log: Pick<EventRow, 'event_type' | 'event_guid' | 'event_rule_name' | 'payload'>,
  { extra_vars }: Pick<RuleAction, 'extra_vars'>,
): Record<string, unknown> => ({
  ...extra_vars,
  svc_eda_event_type: log.event_type,
  svc_eda_event_guid: log.event_guid,
  svc_eda_rule_name: log.event_rule_name,
  svc_eda_payload: log.payload,
});
