import { Input } from './Input.tsx'

/** A file. `onText` gets what is in it, `onFile` the file itself; undefined when the choice is taken back. */
export function FileInput({
  accept,
  onText,
  onFile,
}: {
  accept: string
  onText?: (text: string | undefined) => void
  onFile?: (file: File | undefined) => void
}) {
  return (
    <Input
      type="file"
      accept={accept}
      className="pt-1 text-md file:mr-3 file:border-0 file:bg-transparent file:font-medium file:text-ink"
      onChange={(event) => {
        const file = event.target.files?.[0]
        onFile?.(file)
        if (!onText) return
        if (file) void file.text().then(onText)
        else onText(undefined)
      }}
    />
  )
}
