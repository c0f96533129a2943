import { pagesOf } from '@tapline/console-kit';
import { eventLog, eventRule } from './resources.js';

// events stand on a tab of their rule
pagesOf(eventLog);

export const routes = pagesOf(eventRule);
