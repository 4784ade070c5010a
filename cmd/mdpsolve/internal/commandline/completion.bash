# Completion of mdpsolve in bash.
_mdpsolve() {
	local current=${COMP_WORDS[COMP_CWORD]} word count=$COMP_CWORD
	[[ $current == -* ]] && ((count++))
	COMPREPLY=()
	while IFS= read -r word; do
		word=${word%%$'\t'*}
		[[ $word == "$current"* ]] && COMPREPLY+=("$word")
	done < <("${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:count-1}" --generate-bash-completion 2>/dev/null)
}
complete -o bashdefault -o default -F _mdpsolve mdpsolve
