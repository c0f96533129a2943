import { pino } from 'pino';

export const silentLog = pino({ level: process.env.TEST_LOG ?? 'silent' });
