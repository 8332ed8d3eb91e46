/**
 * The name of the state file in each folder. In a file of its own, so that
 * reading settings loads nothing else of this room.
 */
export const STATE_FILE = 'state.json'
/** In the same folder: a state that was not yet saved when its process was killed. */
export const JOTTED_FILE = 'state.jotted.json'
