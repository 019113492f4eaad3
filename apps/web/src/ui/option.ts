/** One thing to choose. `value` is never empty; `note` is a quieter text beside the label. */
export type Option = { value: string; label: string; note?: string; disabled?: boolean }
