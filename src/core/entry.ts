/** Whether calls come by the legacy script, whose clients know an older wording. */
let legacy = false;

/** To be said once, by the entry of that script: it has no other. */
export function enterByLegacyScript(): void {
  legacy = true;
}

export const onLegacyEntry = () => legacy;
