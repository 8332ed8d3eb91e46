import type { Node } from './world.ts'

/** What an operator reads where numbers were lost, in warnings and errors. */
const SAID = /newer|taken over|went back|serial/

export const linesOf = (nodes: readonly Node[]): number =>
  nodes
    .flatMap((node) => node.log().split('\n'))
    // Levels 40 and 50 of the log in JSON.
    .filter((line) => /"level":[45]0/.test(line) && SAID.test(line)).length
