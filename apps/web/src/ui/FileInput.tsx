import { Input } from './Input.tsx'

/** A file of text. `onText` gets what is in it; undefined when the choice is taken back. */
export function FileInput({ accept, onText }: { accept: string; onText: (text: string | undefined) => void }) {
  return (
    <Input
      type="file"
      accept={accept}
      className="pt-1 text-md file:mr-3 file:border-0 file:bg-transparent file:font-medium file:text-ink"
      onChange={(event) => {
        const file = event.target.files?.[0]
        if (file) void file.text().then(onText)
        else onText(undefined)
      }}
    />
  )
}
