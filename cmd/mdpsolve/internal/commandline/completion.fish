# Completion of mdpsolve in fish.
function __mdpsolve_words
	set -l typed (commandline -opc)
	set -l current (commandline -ct)
	string match -q -- '-*' $current; and set -a typed $current
	set -l found ($typed --generate-bash-completion 2>/dev/null)
	if set -q found[1]
		string join \n -- $found
	else
		__fish_complete_path $current
	end
end
complete -c mdpsolve -f -a '(__mdpsolve_words)'
