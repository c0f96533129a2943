import { pagesOf } from '@tapline/console-kit';
import { acceptedFinding, scanner, scanResult } from './resources.js';

// links of each lead to the others
for (const other of [scanResult, acceptedFinding]) pagesOf(other);

export const routes = pagesOf(scanner);
