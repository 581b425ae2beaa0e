/**
 * What each shell loads: a function that hands the words of the command line to `portcullis completion SHELL --words`, and shows
 * what comes back. INVARIANT: no word that a person has typed is ever evaluated, in any shell.
 *
 * The answer is a line a candidate, `VALUE<TAB>DESCRIPTION`, and last a line that says what may stand there besides: `:files`,
 * `:folders` or `:nothing`.
 */

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** bash splits words at `=` and `:` as well. They are put together again, and the part before is taken off what comes back. */
const BASH = `# portcullis: completion for bash (3.2 or later)
_portcullis() {
  local line=\${COMP_LINE:0:COMP_POINT} rest word value seen kind=:nothing i
  local -a words=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=\${line#"\${line%%[![:space:]]*}"}
    word=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    if ((i == 0)) || [[ $rest != "$line" || -z $line ]]; then
      words+=("$word")
      seen=
    else
      seen=\${words[\${#words[@]} - 1]}
      words[\${#words[@]} - 1]+=$word
    fi
    line=\${rest#"$word"}
  done
  case $word in [=:]) seen+=$word ;; esac
  while IFS=$'\\t' read -r value _; do
    case $value in
      :files | :folders | :nothing) kind=$value ;;
      *) COMPREPLY+=("$(printf %q "\${value#"$seen"}")") ;;
    esac
  done < <(command "\${COMP_WORDS[0]}" completion bash --words -- "\${words[@]:1}" 2>/dev/null)
  if [[ $kind == :files && \${#COMPREPLY[@]} -gt 0 ]]; then
    compopt -o plusdirs 2>/dev/null
  elif [[ $kind == :folders ]]; then
    compopt +o default -o dirnames 2>/dev/null
  elif [[ $kind == :nothing ]]; then
    compopt +o default 2>/dev/null
  fi
}
complete -o default -F _portcullis portcullis
`;

const ZSH = `#compdef portcullis
# portcullis: completion for zsh
_portcullis() {
  local value description kind=:nothing
  local -a found
  while IFS=$'\\t' read -r value description; do
    case $value in
      :files | :folders | :nothing) kind=$value ;;
      *) found+=("\${value//:/\\\\:}\${description:+:$description}") ;;
    esac
  done < <(command "\${words[1]}" completion zsh --words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  (( \${#found} )) && _describe portcullis found
  case $kind in
    :files | :folders)
      compset -P '--*='
      if [[ $kind == :files ]]; then _files; else _files -/; fi
      ;;
  esac
}
if [[ \${funcstack[1]} == _portcullis ]]; then _portcullis "$@"; else compdef _portcullis portcullis; fi
`;

const FISH = `# portcullis: completion for fish
function __portcullis_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (command $words[1] completion fish --words -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current")
            case :folders
                __fish_complete_directories (string replace -r -- '^--[^=]*=' '' "$current") ''
            case :nothing
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c portcullis -f -a '(__portcullis_complete)'
`;

export const SCRIPTS: { readonly [S in Shell]: string } = { bash: BASH, zsh: ZSH, fish: FISH };
