import type { EventRow } from './log.ts';

const longest = 2000;

/** What a notification tells of an event: not its payload as a whole, which is long and may hold what is not for everybody. */
export function summaryOf(log: EventRow): { subject: string; body: string } {
  const keys = typeof log.payload === 'object' && log.payload !== null ? Object.keys(log.payload) : [];
  const lines = [
    `Rule: ${log.event_rule_name}`,
    `Event: ${log.event_type} (${log.event_guid})`,
    `Source: ${log.source_type}, from ${log.source_ip}`,
    `Received: ${log.created}`,
    `Event log: ${log.id}`,
    `Keys of the payload: ${keys.slice(0, 50).join(', ')}`,
  ];
  return {
    subject: `Event rule ${log.event_rule_name}: ${log.event_type}`.replaceAll(/\s+/g, ' ').slice(0, 200),
    body: lines.join('\n').slice(0, longest),
  };
}
