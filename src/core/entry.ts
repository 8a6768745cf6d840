/** Whether the current call came by the legacy script, whose clients know an older wording. */
let legacy = false;

export function enterEntry(isLegacy: boolean): void {
  legacy = isLegacy;
}

export const onLegacyEntry = () => legacy;
